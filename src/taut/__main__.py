"""``python -m taut`` is the command ``taut``."""

from taut.cli import main

if __name__ == "__main__":
    main()
