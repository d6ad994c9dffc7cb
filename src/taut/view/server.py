"""The web server of a page: quiet, on the port that was asked for or not at all."""

from __future__ import annotations

import contextlib
import io
import socket
from typing import TYPE_CHECKING

from taut.errors import InputError, TautError

if TYPE_CHECKING:
    from viser import ViserServer

HOST = "127.0.0.1"
"""Only programs on this machine may connect."""

PORT = 8080

MISSING = (
    "taut view needs viser: pip install -e '.[view]' in the folder of Taut; "
    "`taut render FILE out.mp4` and `taut plot FILE` work without a browser"
)


def start_server(port: int = PORT, label: str = "Taut") -> ViserServer:
    """A server on this port of this machine, 0 for any that is free; InputError if it is taken."""
    require_viser()
    import viser

    check_port(port)
    # viser greets on the standard output, which belongs to the command
    with contextlib.redirect_stdout(io.StringIO()):
        server = viser.ViserServer(host=HOST, port=port, label=label, verbose=False)
    if port and server.get_port() != port:  # somebody was faster
        stop_server(server)
        raise InputError(taken(port))
    return server


def require_viser() -> None:
    """Raise TautError if viser is not installed."""
    try:
        import viser  # noqa: F401
    except ImportError:
        raise TautError(MISSING) from None


def stop_server(server: ViserServer) -> None:
    """Stop a server; browsers that look at it are left with what they have."""
    with contextlib.redirect_stdout(io.StringIO()):
        server.stop()


def check_port(port: int) -> None:
    """Raise InputError unless this port can be listened on."""
    if not isinstance(port, int) or not 0 <= port < 65536:
        raise InputError(f"port {port!r} is not a port: they go from 1 to 65535, such as --port {PORT}")
    if not is_free(port):
        raise InputError(taken(port))


def taken(port: int) -> str:
    """What to say about a port that is in use."""
    other = next((each for each in range(port + 1, min(port + 100, 65536)) if is_free(each)), PORT)
    return f"port {port} is taken, perhaps by another viewer; try --port {other}"


def is_free(port: int) -> bool:
    """Whether this port of this machine can be listened on."""
    with socket.socket(socket.AF_INET, socket.SOCK_STREAM) as probe:
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind((HOST, port))
        except OSError:
            return False
    return True
