"""The command ``taut``: run, compare, plot and measure from the shell.

Nothing heavy is imported before a command needs it, so that ``taut --help`` answers at once. Exit codes: 0 fine, 1 the
simulation failed, 2 bad usage, 130 interrupted. Errors are one line on stderr.
"""

from __future__ import annotations

import os
import sys
import traceback
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

import taut
from taut.commands import view as cli_view
from taut.commands.options import (
    Assignments,
    Coordinates,
    Duration,
    Friction,
    Integrator,
    Json,
    Linear,
    NoBrowser,
    Partition,
    PartSize,
    Port,
    SceneName,
    Seed,
    Solver,
    Step,
    Stiffness,
    request_of,
)
from taut.errors import InputError, SimulationError, TautError, show_warnings_in_lines
from taut.view.server import PORT

if TYPE_CHECKING:
    from taut.results.record import Recording
    from taut.simulation.launch import RunRequest

FAILED, USAGE, INTERRUPTED = 1, 2, 130

app = typer.Typer(
    name="taut",
    epilog="--debug anywhere shows the traceback of an error.",
    add_completion=False,
    no_args_is_help=True,
    pretty_exceptions_enable=False,
)


def _print_version(wanted: bool) -> None:
    if wanted:
        print(f"taut {taut.__version__}")
        raise typer.Exit


@app.callback()
def options(
    version: Annotated[
        bool, typer.Option("--version", callback=_print_version, is_eager=True, help="Print the version.")
    ] = False,
) -> None:
    """Exact stepping of stiff multibody systems with frictional contact."""


@app.command()
def run(
    scene: SceneName,
    solver: Solver = "auto",
    integrator: Integrator = "bdf2",
    coordinates: Coordinates = "maximal",
    friction: Friction = "box",
    step: Step = "1/60",
    duration: Duration = None,
    assignments: Assignments = None,
    record: Annotated[Path | None, typer.Option(metavar="FILE", help="Record to this HDF5 file.")] = None,
    dump_problems: Annotated[
        Path | None, typer.Option(metavar="DIR", help="Write the problem of every frame to this folder (npz).")
    ] = None,
    seed: Seed = None,
    sleeping: Annotated[bool, typer.Option("--sleeping", help="Let bodies that rest sleep until touched.")] = False,
    linear: Linear = "auto",
    stiffness: Stiffness = "auto",
    partition: Partition = None,
    part_size: PartSize = None,
    as_json: Json = False,
) -> None:
    """Run a scene and show what happened."""
    from taut import console
    from taut.simulation.survey import Survey

    given = scene, solver, integrator, coordinates, friction, step, duration, assignments, seed, record
    request = request_of(*given, partition, part_size)
    request = replace(request, problems=dump_problems, sleeping=sleeping, linear=linear, geometric_stiffness=stiffness)
    console.compile_kernels(
        touching=request.build().collisions,
        solvers=[solver],
        reduced=coordinates != "maximal",
        integrators=[integrator],
    )
    simulation = request.simulation()
    survey = Survey(simulation) if as_json else None
    try:
        with console.progress(request.entry.name, quiet=as_json) as update, console.stop_between_steps() as check:

            def after_step(share: float) -> None:
                if survey is not None:
                    survey(share)
                update(share, f"t = {simulation.time:.2f} s")
                check()

            with console.without_long_pauses():
                recording = simulation.run(request.duration, record, after_step)
    except KeyboardInterrupt:
        kept = f"; what was recorded is in {record}" if record else ""
        raise _Interrupted(f"interrupted at t = {simulation.time:.3f} s of {request.duration:g} s{kept}") from None
    summary = recording.summary() | {"check": _check(request, recording)}
    if survey is not None:
        console.print_json(summary | survey.figures())
    else:
        console.print_summaries(request.entry.name, [summary])
        if summary["events"]:
            console.output.print(events_line(summary["events"]), soft_wrap=True)
        console.output.print(f"the scene's own check: {summary['check']}", soft_wrap=True)
        if record:
            console.output.print(f"recorded to {record}", soft_wrap=True)
        if dump_problems:
            console.output.print(f"problems in {dump_problems}", soft_wrap=True)
    if summary["unconverged_steps"] and simulation.settings.solver.exact:
        raise SimulationError(f"{summary['unconverged_steps']} of {summary['steps']} steps missed their tolerances")


@app.command()
def compare(
    scene: SceneName,
    solvers: Annotated[str | None, typer.Option(metavar="A,B,C", help="Solver names (default: all).")] = None,
    integrator: Integrator = "bdf2",
    coordinates: Coordinates = "maximal",
    friction: Friction = "box",
    step: Step = "1/60",
    duration: Duration = None,
    assignments: Assignments = None,
    seed: Seed = None,
    partition: Partition = None,
    part_size: PartSize = None,
    plot_file: Annotated[Path | None, typer.Option("--plot", metavar="FILE", help="Write a figure.")] = None,
    as_json: Json = False,
    in_browser: Annotated[bool, typer.Option("--view", help="Run them side by side in the browser.")] = False,
    port: Port = PORT,
    no_browser: NoBrowser = False,
) -> None:
    """Run a scene with several solvers, side by side."""
    import taut.solvers
    from taut import checks, console
    from taut.commands.compare import compare_solvers

    valid = taut.solvers.names()
    wanted = [name.strip() for name in solvers.split(",")] if solvers else [name for name in valid if name != "auto"]
    chosen = [checks.known("compare", "solver", name, valid) for name in wanted]
    first = next(filter(taut.solvers.has_parts, chosen), chosen[0])  # one that has parts, if any does
    given = scene, first, integrator, coordinates, friction, step, duration, assignments, seed, None
    request = request_of(*given, partition, part_size)
    if in_browser:
        if not solvers or plot_file or as_json:
            raise InputError("compare: --view needs --solvers, such as bpp,pgs, and goes without --plot and --json")
        cli_view.view_comparison(request, chosen, duration, port, not no_browser)
        return
    console.compile_kernels(
        touching=request.build().collisions, solvers=chosen, reduced=coordinates != "maximal", integrators=[integrator]
    )
    try:
        with console.progress(request.entry.name, quiet=as_json) as update, console.stop_between_steps() as check:

            def after_step(solver: str, share: float) -> None:
                update((chosen.index(solver) + share) / len(chosen), solver)
                check()

            summaries, recordings = compare_solvers(request, chosen, after_step)
    except KeyboardInterrupt:
        raise _Interrupted("comparison interrupted; nothing was written") from None
    if plot_file:
        from taut.commands.plot import plot_comparison

        plot_comparison(recordings, plot_file)
    if as_json:
        console.print_json({"scene": request.entry.name, "runs": summaries})
    else:
        console.print_summaries(request.entry.name, summaries)
        _print_failures(summaries)
        if plot_file:
            console.output.print(str(plot_file), soft_wrap=True)
    if all("error" in summary for summary in summaries):
        raise SimulationError(f"no solver got through {request.entry.name}")


@app.command()
def scenes(as_json: Json = False) -> None:
    """List the scenes, with their parameters, and their figures beside those of the papers."""
    from taut.commands import scenes as listing

    if as_json:
        _print_list("scenes", listing.as_objects(), as_json)
        return
    _print_list("scenes", listing.listed(), as_json)
    _print_list("figures as measured by `make tables`, (in brackets: of a paper)", listing.figures(), as_json)


@app.command()
def solvers(as_json: Json = False) -> None:
    """List the solvers."""
    import taut.solvers

    rows = [{"name": each.name, "exact": each.exact, "summary": each.summary} for each in taut.solvers.all()]
    _print_list("solvers", rows, as_json)


@app.command()
def plot(
    file: Annotated[Path, typer.Argument(metavar="FILE", help="A recording made by `taut run --record`.")],
    out: Annotated[Path | None, typer.Option(metavar="PNG", help="Picture (default: FILE with .png).")] = None,
) -> None:
    """Plot a recording: energy, violation, residual, time by stage."""
    from taut import console
    from taut.commands.plot import plot_recording
    from taut.results.record import Recording

    picture = out or file.with_suffix(".png")
    plot_recording(Recording.load(file), picture)
    console.output.print(str(picture), soft_wrap=True)


@app.command()
def bench(
    name: Annotated[str | None, typer.Argument(metavar="NAME", help="Name of a benchmark; none lists them.")] = None,
    quick: Annotated[bool, typer.Option("--quick", help="Small sizes, to see that it works.")] = False,
    out: Annotated[Path | None, typer.Option(metavar="DIR", help="Folder for its tables and figures.")] = None,
    problems: Annotated[
        Path | None, typer.Option(metavar="DIR", help="Problems to measure on as well (`taut run --dump-problems`).")
    ] = None,
    scenes: Annotated[
        str | None, typer.Option(metavar="NAMES", help="Only these scenes, with commas between them.")
    ] = None,
    frames: Annotated[int | None, typer.Option(metavar="N", help="At most so many frames of each scene.")] = None,
    as_json: Json = False,
) -> None:
    """Run a benchmark on this machine."""
    import taut.benchmarks
    from taut import console

    if name is None:
        rows = [{"name": each, "summary": _first_line(taut.benchmarks.get(each))} for each in taut.benchmarks.names()]
        _print_list("benchmarks", rows, as_json)
        return
    benchmark = taut.benchmarks.get(name)
    given = {"quick": quick, "out": out, "problems": problems, "scenes": scenes, "frames": frames}
    options = taut.benchmarks.check_options(name, benchmark, given)
    console.compile_kernels()
    try:
        rows = benchmark.run(**options)
    except KeyboardInterrupt:
        raise _Interrupted(f"benchmark {name} interrupted") from None
    machine = taut.benchmarks.machine()
    if as_json:
        console.print_json({"bench": name, "machine": machine, "rows": rows})
    else:
        for part in dict.fromkeys(row.get("part") for row in rows):
            own = [{key: row[key] for key in row if key != "part"} for row in rows if row.get("part") == part]
            console.print_rows(f"{name if part is None else f'{name}, {part},'} on {machine['cpu']}", own)


@app.command()
def warmup() -> None:
    """Compile all kernels now, so that the next run starts at once."""
    from taut import console, kernel

    seconds = console.compile_kernels(force=True, pictures=True)
    folder = kernel.cache_folder()
    where = f"kept in {folder}" if folder else "not kept: no writable cache folder, set TAUT_CACHE_DIR"
    count = len(kernel.kernel_modules())
    console.output.print(f"{count} kernel modules ready in {seconds:.1f} s, {where}", soft_wrap=True)


cli_view.register(app)


def main() -> None:
    """Entry point: run the command, turn every error into one line and an exit code."""
    for library in ("OPENBLAS", "OMP", "MKL"):  # idle BLAS workers only add jitter; set before NumPy is imported
        os.environ.setdefault(f"{library}_NUM_THREADS", "1")
    show_warnings_in_lines()
    arguments = sys.argv[1:]
    debug = "--debug" in arguments
    try:
        code = app([each for each in arguments if each != "--debug"], standalone_mode=False)
        if code == INTERRUPTED:
            _complain("interrupted", code)
    except Exception as error:
        if debug:
            traceback.print_exc()
        code = _report(error)
    sys.exit(code)


class _Interrupted(Exception):
    """Ctrl-C, with the line that says what was kept."""


def _report(error: Exception) -> int:
    """Print an error as one line; the exit code."""
    if isinstance(error, _Interrupted):
        return _complain(str(error), INTERRUPTED)
    if isinstance(error, InputError):
        return _complain(str(error), USAGE)
    if isinstance(error, TautError):
        return _complain(str(error), FAILED)
    if isinstance(error, typer.Abort):
        return _complain("interrupted", INTERRUPTED)
    if isinstance(error, BrokenPipeError):
        # the reader of a pipe (head, less) has gone: nothing to say, and nobody to say it to
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return FAILED
    if hasattr(error, "format_message"):
        # bare `taut` has shown its help already and has nothing more to say
        return _complain(error.format_message(), USAGE) if error.format_message() else USAGE
    return _complain(f"internal error, {type(error).__name__}: {error} (--debug shows where)", FAILED)


def _complain(message: str, code: int) -> int:
    print(f"taut: {' '.join(message.split())}", file=sys.stderr)
    return code


def events_line(counts: dict[str, int]) -> str:
    """What happened to bodies and joints on the way, in a line."""
    return "events: " + ", ".join(f"{count} {kind}" for kind, count in counts.items())


def _check(request: RunRequest, recording: Recording) -> str:
    """What the scene says of its motion: "passed", or "failed" and what is wrong with it."""
    if request.entry.check is None:
        return "it has none"
    try:
        request.entry.check(recording)
    except AssertionError as error:
        return f"failed: {error}"
    return "passed"


def _print_list(title: str, rows: list[dict[str, Any]], as_json: bool) -> None:
    from taut import console

    if as_json:
        console.print_json(rows)
    else:
        console.print_rows(title, rows)


def _print_failures(summaries: list[dict[str, Any]]) -> None:
    for summary in summaries:
        if "error" in summary:
            print(f"taut: {summary['solver']} failed: {summary['error']}", file=sys.stderr)


def _first_line(described: Any) -> str:
    return (described.__doc__ or "").strip().split("\n")[0]
