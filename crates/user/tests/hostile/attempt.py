# `attempt` prints the name of an action and the error that it met; `call` makes a system call by its number.
import ctypes, os, fcntl

libc = ctypes.CDLL(None, use_errno=True)

def attempt(name, action):
    try:
        action()
        print(name, "done", flush=True)
    except OSError as error:
        print(name, error.errno, flush=True)

def call(number, *arguments):
    ctypes.set_errno(0)
    if libc.syscall(ctypes.c_long(number), *map(ctypes.c_long, arguments)) < 0:
        raise OSError(ctypes.get_errno(), "")

