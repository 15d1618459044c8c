"""``python -m backstay`` is the command ``backstay``."""

from backstay.cli import main

if __name__ == "__main__":
    main()
