/** An error with the operations and packages on its way, printed as kpt prints it (pkg/lib/errors Error). */
export class TraceError extends Error {
  readonly inner: Error;
  #operation: string;
  #package: string | undefined;

  /** `pkg`: path of the package from the root one, "" is the root itself; absent: none. */
  constructor({ operation, pkg }: { operation: string; pkg: string | undefined }, inner: Error) {
    super(inner.message);
    this.inner = inner;
    this.#operation = operation;
    this.#package = pkg;
    if (!(inner instanceof TraceError)) return;
    if (inner.#package === pkg) inner.#package = undefined;
    if (inner.#operation === operation) inner.#operation = "";
  }

  /** `show`: how a package's path is written. */
  describe(show: (pkg: string) => string): string {
    const own = [this.#operation, ...(this.#package === undefined ? [] : [`pkg ${show(this.#package)}`])];
    const before = own.filter((part) => part !== "").join(": ");
    const { inner } = this;
    if (!(inner instanceof TraceError))
      return [before, inner instanceof PackageError ? inner.inTrace : inner.message]
        .filter((part) => part !== "")
        .join(": ");
    return [before, inner.describe(show)].filter((part) => part !== "").join(":\n\t");
  }
}

/** What went wrong in the first place. */
export function causeOf(error: Error): Error {
  return error instanceof TraceError ? causeOf(error.inner) : error;
}

/** A function's failure that has been told already. */
export class AlreadyTold extends Error {
  constructor() {
    super("already handled error");
  }
}

/** Something in the package that has to be mended by its author; the message says what. */
export class PackageError extends Error {
  /** How it reads behind the operations on its way. */
  readonly inTrace: string;

  constructor(message: string, inTrace = message) {
    super(message);
    this.inTrace = inTrace;
  }
}

/** A function that did not run, or whose output is none: no end of its own says so. */
export class CannotRun extends PackageError {}

/** A Kptfile that cannot be read (kptfileutil.KptfileError, and errors/resolver for what a person is told). */
export class KptfileError extends PackageError {
  constructor(path: string, details: string) {
    const shown = JSON.stringify(path);
    super(
      `Kptfile at ${shown} can't be read.\n\nDetails:\n${details}`,
      `error reading Kptfile at ${shown}: ${details}`,
    );
  }
}
