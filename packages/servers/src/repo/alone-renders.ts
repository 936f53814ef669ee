import type { Clock } from "@capstan/flow";
import { CapstanError } from "@capstan/model";
import type { RepoServer, RevisionRequest } from "@capstan/wire";
import { RepoConnection, type RepoParent } from "./repo-connection.ts";
import { type RepoEnd, type RepoProcess, type RepoStart, setupOf } from "./repo-process.ts";
import { requestedFolders } from "./requested-folders.ts";

interface Options {
  start(start: RepoStart): Promise<RepoProcess>;
  readonly parent: RepoParent;
  readonly clock: Clock;
}

interface Alone {
  readonly process: RepoProcess;
  readonly connection: RepoConnection;
}

/** What ended the process that had nothing else to do. */
export class EndedAlone extends Error {
  readonly end: RepoEnd;

  constructor(end: RepoEnd) {
    super(end.how);
    this.end = end;
  }
}

const maxWaiting = 5_000;
/** Without a call it ends, and gives its memory back. */
const idleMs = 30_000;

/** Renders one at a time in a process that can be ended without harm to any other. */
export class AloneRenders implements AsyncDisposable {
  readonly #options: Options;
  readonly #closing = new AbortController();
  #alone: Alone | undefined;
  #last: Promise<unknown> = Promise.resolve();
  #waiting = 0;

  constructor(options: Options) {
    this.#options = options;
  }

  /** Rejects with EndedAlone where the call ends the process. */
  async run<Answer>(
    request: RevisionRequest,
    call: (repo: RepoServer) => Promise<Answer>,
    signal: AbortSignal,
  ): Promise<Answer> {
    if (this.#waiting >= maxWaiting)
      throw new CapstanError({ code: "QUEUE_FULL", queue: "queue of single renders", limit: maxWaiting });
    this.#waiting += 1;
    const turn = this.#last.then(async () => {
      signal.throwIfAborted();
      this.#closing.signal.throwIfAborted();
      return this.#runNow(request, call, signal);
    });
    this.#last = turn.catch(() => undefined); // its caller is told
    try {
      return await turn;
    } finally {
      this.#waiting -= 1;
      if (this.#waiting === 0) void this.#endWhenIdle();
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#closing.abort(
      new CapstanError({ code: "UNAVAILABLE", what: "the repo server", problem: "it ends" }),
    );
    const alone = this.#alone;
    this.#drop();
    await alone?.process.ended;
  }

  async #runNow<Answer>(
    request: RevisionRequest,
    call: (repo: RepoServer) => Promise<Answer>,
    signal: AbortSignal,
  ): Promise<Answer> {
    this.#alone ??= await this.#begin();
    const { process, connection } = this.#alone;
    process.localGit?.permit(requestedFolders(request));
    try {
      return await call(connection);
    } catch (error) {
      // A call that was given up may go on there.
      if (signal.aborted) this.#drop();
      if (signal.aborted || !connection.over.aborted || this.#closing.signal.aborted) throw error;
      this.#drop();
      throw new EndedAlone(await process.ended);
    }
  }

  async #begin(): Promise<Alone> {
    const { start, parent } = this.#options;
    const process = await start({ role: "alone" });
    const lost = () =>
      new CapstanError({ code: "UNAVAILABLE", what: "the repo server", problem: "it ended" });
    const connection = new RepoConnection(process.stream, parent, { lost });
    await connection.open(setupOf(process, parent), this.#closing.signal);
    return { process, connection };
  }

  #drop(): void {
    const alone = this.#alone;
    this.#alone = undefined;
    alone?.connection.close();
    alone?.process.kill();
  }

  async #endWhenIdle(): Promise<void> {
    const last = this.#last;
    await this.#options.clock.sleep(idleMs, this.#closing.signal).catch(() => undefined); // it is closing
    if (this.#last === last && this.#waiting === 0) this.#drop();
  }
}
