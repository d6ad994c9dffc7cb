"""``python -m taut`` is the command ``taut``."""

from taut.commands.main import main

if __name__ == "__main__":
    main()
