"""An exclusive lock on an open file, held until the file is closed or the process ends.

The file itself is locked, so no lock file is left beside it, and the lock can be taken before the file is read. The
`filelock` package cannot do this: it needs a file of its own, which it truncates. POSIX systems have `fcntl.flock`. On
Windows, `msvcrt.locking` locks a range of bytes and keeps other processes from reading them; so one byte is locked, far
beyond the end of any file.
"""

import os
import sys
from typing import IO, Any, Final

_FAR: Final = 1 << 42  # offset of the byte that is locked on Windows

if sys.platform == "win32":
    import msvcrt

    def _acquire(file: IO[Any]) -> None:
        position = os.lseek(file.fileno(), 0, os.SEEK_CUR)
        os.lseek(file.fileno(), _FAR, os.SEEK_SET)
        try:
            msvcrt.locking(file.fileno(), msvcrt.LK_NBLCK, 1)
        finally:
            os.lseek(file.fileno(), position, os.SEEK_SET)

else:
    try:
        import fcntl
    except ImportError:  # a platform without file locks, such as WebAssembly: no lock is taken

        def _acquire(file: IO[Any]) -> None:
            pass

    else:

        def _acquire(file: IO[Any]) -> None:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)


def try_lock(file: IO[Any]) -> bool:
    """Lock an open file without waiting; False if another process, or another open file of this one, holds the lock.

    Raises OSError where the file system cannot lock.
    """
    try:
        _acquire(file)
    except (BlockingIOError, PermissionError):
        return False
    return True
