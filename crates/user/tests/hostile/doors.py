# Behind attempt.py: each door is a way to leave something and a way to find it. Prints the names of those that are open.
import socket, sys, time

turn, outside, key, add_key, request_key = int(sys.argv[1]), sys.argv[2], *map(int, sys.argv[3:6])
file, mark = f"{outside}/adapter.py", os.path.basename(outside)
name, abstract = mark.encode(), b"\0" + mark.encode()
libc.shmat.restype = ctypes.c_void_p

def wrote(path):
    open(path, "w").write("x")

def checked(result):
    if result < 0:
        raise OSError(ctypes.get_errno(), "")
    return result

def daemon():
    s = socket.socket(socket.AF_UNIX)
    s.bind(abstract)
    s.listen()
    if os.fork() == 0:
        os.setsid()
        time.sleep(60)

home = os.environ["CALLERS_HOME"]
folders = ["/tmp", "/var/tmp", "/dev/shm", "/dev/mqueue", "/run", "/run/lock", home, outside, os.path.dirname(os.getcwd())]
left = [f"{folder}/{mark}.left" for folder in folders]
kind, label = ctypes.create_string_buffer(b"user"), ctypes.create_string_buffer(name)
at = ctypes.addressof
doors = {path: (lambda path=path: wrote(path), lambda path=path: open(path)) for path in left} | {
    "cache": (lambda: os.makedirs(f"{outside}/__pycache__"), lambda: os.listdir(f"{outside}/__pycache__")),
    "file": (lambda: open(file, "a").write("x"), lambda: 1 / os.path.getsize(file)),
    "time": (lambda: os.utime(file, (7, 7)), lambda: 1 / (os.stat(file).st_mtime == 7)),
    "mode": (lambda: os.chmod(file, 0o700), lambda: 1 / (os.stat(file).st_mode & 0o777 == 0o700)),
    "attribute": (lambda: os.setxattr(file, "user.left", b"x"), lambda: os.getxattr(file, "user.left")),
    "memory": (lambda: checked(libc.shmget(key, 4096, 0o1600)), lambda: checked(libc.shmget(key, 4096, 0))),
    "semaphore": (lambda: checked(libc.semget(key, 1, 0o1600)), lambda: checked(libc.semget(key, 1, 0))),
    "messages": (lambda: checked(libc.msgget(key, 0o1600)), lambda: checked(libc.msgget(key, 0))),
    "queue": (
        lambda: checked(libc.mq_open(b"/" + name, os.O_CREAT | os.O_RDWR, 0o600, None)),
        lambda: checked(libc.mq_open(b"/" + name, os.O_RDWR)),
    ),
    "key": (
        lambda: call(add_key, at(kind), at(label), at(label), 4, -4),
        lambda: call(request_key, at(kind), at(label), 0, 0),
    ),
    "daemon": (daemon, lambda: socket.socket(socket.AF_UNIX).connect(abstract)),
}
for door, ways in doors.items():
    try:
        ways[turn]()
        print(door, flush=True)
    except (OSError, ZeroDivisionError):
        pass
print("end", flush=True)
