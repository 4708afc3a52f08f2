# A worker: a Python process that calls functions for a server, one after the other.
#
# Requests and replies are JSON on two named pipes in its private folder, each with its length in
# front. So whatever a function prints, itself or through a program it starts, cannot be mistaken for
# a reply. Uses the standard library only.
import importlib
import importlib.machinery
import json
import os
import signal
import struct
import sys

MAX_FRAMES = 12              # of a traceback
MAX_MESSAGE_LENGTH = 10_000  # characters


class CallError(Exception):
    """A call that cannot be made, or whose value cannot be sent. `kind` is its error type."""

    def __init__(self, kind, message):
        super().__init__(message)
        self.kind = kind


class CurrentCall:
    """Whether a call is running that SIGINT may interrupt. A late signal is ignored."""

    is_running = False
    is_interrupted = False

    @classmethod
    def interrupt(cls, _signal, _frame):
        # Between calls the signal came too late, and raising here would end the worker.
        if cls.is_running:
            cls.is_interrupted = True
            raise KeyboardInterrupt


# --- Finding a function --------------------------------------------------------------------------


class Modules:
    """The modules of the crib, and whether their files have changed since they were loaded."""

    path = []
    seen = {}
    # The digests of the files that a person approved; `None` if the call needed no approval.
    approved = None
    # Folders of the interpreter and its packages.
    installed = ()

    @classmethod
    def set_path(cls, path, approved):
        cls.approved = approved
        if not cls.path:
            cls.path = path
            if approved is not None:
                # Imported before the crib can have a module of this name.
                import hashlib
                cls.hash = hashlib.sha256
            homes = tuple(home + os.sep for home in (sys.prefix, sys.base_prefix))
            cls.installed = tuple(folder for folder in sys.path if folder.startswith(homes))
            sys.path_hooks.insert(0, find_in_sources)
            # Put first, so that a module of the crib wins over an installed one of the same name.
            sys.path[:0] = path

    @classmethod
    def check_approved(cls, file, content):
        """Fails unless the content of a file of the crib is what a person approved. What is compared is
        what runs: the file may be replaced at any time."""
        if cls.approved is not None and is_in(file, cls.path):
            if cls.approved.get(file) != cls.hash(content).hexdigest():
                raise ImportError(f"`{file}` is not what was approved; it was not run. Make the same call "
                                  "again to request a new approval")

    @classmethod
    def files(cls):
        for module in list(sys.modules.values()):
            file = getattr(module, "__file__", None)
            if isinstance(file, str) and any(file.startswith(folder + os.sep) for folder in cls.path):
                # Installed packages do not change, and checking their many files would be slow.
                if f"{os.sep}site-packages{os.sep}" not in file:
                    yield file

    @classmethod
    def record_files(cls):
        for file in cls.files():
            if file not in cls.seen:
                cls.seen[file] = modified_at(file)

    @classmethod
    def are_stale(cls):
        return any(modified_at(file) != when for file, when in cls.seen.items())


class SourceLoader(importlib.machinery.SourceFileLoader):
    """Compiles sources. Byte code beside them is neither read nor written: any tool that may write to the
    crib could have planted it, with the time and size of the source in its header."""

    def get_code(self, fullname):
        file = self.get_filename(fullname)
        source = self.get_data(file)
        Modules.check_approved(file, source)
        return self.source_to_code(source, file)


class ExtensionLoader(importlib.machinery.ExtensionFileLoader):
    """Loads compiled modules. An approved call loads none from the crib: the linker opens a file by its
    path, so that it cannot be compared with what was approved."""

    def create_module(self, spec):
        if Modules.approved is not None and is_in(self.path, Modules.path):
            raise ImportError(f"`{self.path}` is compiled, and approved calls load compiled modules only from "
                              "installed packages; install it")
        return super().create_module(spec)


def find_in_sources(folder):
    """The finder for a folder of modules that is not part of the interpreter or its packages."""
    if is_in(folder, Modules.installed) or not os.path.isdir(folder):
        raise ImportError("not a folder of the crib")
    return importlib.machinery.FileFinder(folder, (ExtensionLoader, importlib.machinery.EXTENSION_SUFFIXES),
                                          (SourceLoader, importlib.machinery.SOURCE_SUFFIXES))


def is_in(path, folders):
    return any(path == folder or path.startswith(folder + os.sep) for folder in folders)


def modified_at(file):
    try:
        return os.stat(file).st_mtime_ns
    except OSError:
        return None


def find_function(name, function):
    if name not in sys.modules:
        # The finder caches folder listings, and the module may be newer than the last listing.
        importlib.invalidate_caches()
    try:
        module = importlib.import_module(name)
    except ModuleNotFoundError as error:
        raise CallError("python_module_missing", describe_missing_module(name, error.name or name)) from error
    except Exception as error:
        raise CallError("python_import_failed", f"the module `{name}` could not be imported: {describe(error)}") from error
    found = getattr(module, function, None)
    if callable(found):
        return found
    import difflib
    names = [each for each in dir(module) if callable(getattr(module, each, None)) and not each.startswith("_")]
    near = difflib.get_close_matches(function, names, 1)
    hint = f"; did you mean `{near[0]}`?" if near else ""
    raise CallError("python_function_missing", f"the module `{name}` has no function `{function}`{hint}")


def describe_missing_module(name, missing):
    if name == missing or name.startswith(missing + "."):
        searched = ", ".join(f"`{folder}`" for folder in Modules.path)
        return (f"there is no Python module `{missing}` in {searched} or among the packages of {sys.executable}; "
                f"put it there, or set `path` of its `[[bind]]` to its folder")
    package = missing.split(".")[0]
    return (f"the module `{name}` needs `{missing}`, which is not installed; "
            f"install it, for example with `{sys.executable} -m pip install {package}`")


def bind_arguments(function, arguments):
    """The arguments by the parameter names of the function: `from`, a keyword, may be `from_` there."""
    import inspect
    try:
        signature = inspect.signature(function)
    except (TypeError, ValueError):
        return arguments
    names = signature.parameters
    # Positional-only parameters cannot be passed by name.
    takes = lambda name: name in names and names[name].kind is not inspect.Parameter.POSITIONAL_ONLY
    arguments = {name + "_" if not takes(name) and takes(name + "_") else name: value
                 for name, value in arguments.items()}
    try:
        signature.bind(**arguments)
    except TypeError as error:
        raise CallError("python_signature_mismatch",
                      f"`{function.__qualname__}{signature}` cannot be called with the arguments of the "
                      f"specification: {error}") from error
    return arguments


# --- Calling -------------------------------------------------------------------------------------


class EventLoop:
    """The event loop of async functions. One for all calls: objects that functions keep are bound to it."""

    loop = None

    @classmethod
    def run(cls, awaitable):
        import asyncio
        if not cls.loop or cls.loop.is_closed():
            cls.loop = asyncio.new_event_loop()
            asyncio.set_event_loop(cls.loop)

        async def awaited():
            return await awaitable
        task = cls.loop.create_task(awaited())
        try:
            return cls.loop.run_until_complete(task)
        except KeyboardInterrupt:
            # The coroutine gets a chance to clean up; a task that is left pending would continue in
            # the next call.
            task.cancel()
            try:
                cls.loop.run_until_complete(task)
            except asyncio.CancelledError:
                pass
            raise


def call(request):
    Modules.set_path(request["path"], request.get("approved"))
    # Checked before the import, so that edited code never runs half old and half new. The server
    # starts a new worker.
    if Modules.are_stale():
        return {"kind": "stale"}
    function = find_function(request["module"], request["function"])
    value = function(**bind_arguments(function, request["arguments"]))
    # Not `inspect.iscoroutine`: futures and other awaitables are awaited as well.
    if hasattr(value, "__await__"):
        value = EventLoop.run(value)
    return encode_result(value, request["max_bytes"])


def encode_result(value, max_bytes):
    try:
        text = json.dumps(value, ensure_ascii=False, allow_nan=False, default=to_json).encode("utf-8")
    except UnicodeEncodeError as error:
        raise CallError("not_json", "the returned value contains text that is not valid Unicode; decode it properly") from error
    except ValueError as error:
        why = "it contains itself" if "ircular" in str(error) else \
            "it contains NaN or infinity, which JSON cannot represent; return None or a string instead"
        raise CallError("not_json", f"the returned value is not JSON: {why}") from error
    except (TypeError, RecursionError) as error:
        raise CallError("not_json", f"the returned value is not JSON: {error}") from error
    if len(text) > max_bytes:
        raise CallError("result_too_large", f"the returned value has {len(text)} bytes of JSON, more than the limit of {max_bytes}; return less")
    return b'{"kind": "done", "value": ' + text + b"}"


def to_json(value):
    """Converts a value that `json` does not support."""
    kind = type(value)
    # Recognized by their methods, because importing pydantic or numpy only to compare types would
    # be slow.
    if hasattr(kind, "model_dump"):
        return value.model_dump(mode="json")
    if hasattr(kind, "__dataclass_fields__"):
        return {name: getattr(value, name) for name in kind.__dataclass_fields__}
    if hasattr(kind, "__fields__") and hasattr(kind, "dict"):
        return value.dict()
    if hasattr(kind, "_value2member_map_"):
        return value.value
    if hasattr(kind, "isoformat"):
        return value.isoformat()
    if hasattr(kind, "__fspath__"):
        return os.fspath(value)
    if hasattr(kind, "tolist"):
        return value.tolist()
    if isinstance(value, (set, frozenset)):
        # Sets have no order; sorting makes the result reproducible.
        return sorted(value, key=repr)
    if kind.__module__ == "uuid":
        return str(value)
    if isinstance(value, (bytes, bytearray, memoryview)):
        raise TypeError("bytes are not text; decode them, or encode them with base64")
    raise TypeError(f"a value of the class `{kind.__module__}.{kind.__qualname__}` has no JSON representation; return its fields instead")


# --- Failing -------------------------------------------------------------------------------------


def describe(error):
    text = str(error)
    return f"{type(error).__name__}: {text}" if text else type(error).__name__


def error_reply(error):
    """An exception as the standard error object."""
    kind = type(error)
    if isinstance(error, CallError):
        name, message, error_details = error.kind, str(error), {}
        error = error.__cause__
    else:
        name, message = kind.__name__, str(error) or kind.__name__
        if isinstance(error, SystemExit):
            message = f"it called sys.exit({error.code!r})"
        error_details = {"class": f"{kind.__module__}.{kind.__qualname__}"}
    if error is not None:
        error_details["traceback"] = format_traceback(error)
        cause = error.__cause__ or (None if error.__suppress_context__ else error.__context__)
        if cause is not None:
            error_details["cause"] = describe(cause)[:MAX_MESSAGE_LENGTH]
    object = {"status": "failure", "error_type": name, "error_message": message[:MAX_MESSAGE_LENGTH], "error_details": error_details}
    return {"kind": "failed", "error": object}


def format_traceback(error):
    """The frames of the traceback, innermost last, without those of this script and of importlib."""
    import traceback
    frames = [frame for frame in traceback.extract_tb(error.__traceback__) if frame.filename != __file__ and
              not frame.filename.startswith("<frozen importlib")]
    return [f"{frame.filename}:{frame.lineno} in {frame.name}: {frame.line}" for frame in frames[-MAX_FRAMES:]]


def handle_request(request):
    if "settle" in request:
        return {"kind": "settled"}
    CurrentCall.is_interrupted = False
    # Set again for each call, because a function may have replaced the handler.
    signal.signal(signal.SIGINT, CurrentCall.interrupt)
    try:
        CurrentCall.is_running = True
        try:
            return call(request)
        finally:
            CurrentCall.is_running = False
    except KeyboardInterrupt as error:
        CurrentCall.is_running = False
        # A function may raise KeyboardInterrupt itself, which is a failure like any other.
        return {"kind": "interrupted"} if CurrentCall.is_interrupted else error_reply(error)
    # SystemExit too: `sys.exit()` in a function must not end the worker.
    except BaseException as error:
        CurrentCall.is_running = False
        return error_reply(error)


def flush_output():
    for stream in (sys.stdout, sys.stderr):
        try:
            stream.flush()
        except Exception:
            pass


def serve():
    signal.signal(signal.SIGINT, CurrentCall.interrupt)
    folder = os.environ["TMPDIR"]
    # Python adds the folder of this script, where modules must not be found.
    del sys.path[0]
    sys.argv = [""]
    requests = open(os.path.join(folder, "requests"), "rb")
    replies = open(os.path.join(folder, "replies"), "wb")

    def send(message):
        if not isinstance(message, bytes):
            message = json.dumps(message).encode("utf-8")
        replies.write(struct.pack("<I", len(message)) + message)
        replies.flush()

    send({"kind": "ready"})
    while True:
        length = requests.read(4)
        # The server has closed the pipe.
        if len(length) < 4:
            return
        request = json.loads(requests.read(struct.unpack("<I", length)[0]))
        message = handle_request(request)
        # Recorded after the call, because functions import modules lazily.
        Modules.record_files()
        # Flushed before the reply, because the server reads the output when the reply arrives.
        flush_output()
        send(message)


serve()
