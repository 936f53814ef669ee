import { type Clock, growingPause } from "@capstan/flow";
import { CapstanError, describeFailure, messageOf } from "@capstan/model";
import type { PluginSummary, RepoServer, RevisionRequest } from "@capstan/wire";
import { AloneRenders, EndedAlone } from "./alone-renders.ts";
import { type AnyRequest, PassingRepo } from "./passing-repo.ts";
import { RepoConnection, type RepoParent } from "./repo-connection.ts";
import { type RepoProcess, type RepoStart, setupOf } from "./repo-process.ts";
import { requestedFolders } from "./requested-folders.ts";
import { convictedOf, Suspects, suspectKey } from "./suspects.ts";

export interface RepoKeeperOptions {
  start(start: RepoStart): Promise<RepoProcess>;
  readonly parent: RepoParent;
  /** The folder of the process for what is rendered by itself, in place of that in `parent.setup`. */
  readonly aloneDataDir: string;
  readonly clock: Clock;
}

const restarts = { firstMs: 100, longestMs: 10_000 };
/** What lived so long was not ended by how it was started; a caller waits so long for one to be there. */
const [steadyMs, patienceMs] = [30_000, 30_000];
const closeMs = 5_000;
/** Something else may have ended the process twice; what it was asked then is asked where it harms nobody else. */
const attempts = 2;

/** One process, from its start to its end. */
interface Life {
  readonly process: RepoProcess;
  readonly connection: RepoConnection;
  /** What its calls fail with that it left without an answer. */
  lost: Error | undefined;
  /** It made room for one that sees files as they are now: nothing that it was asked has ended it. */
  isReplaced: boolean;
}

/**
 * The repo server in a process of its own, started again when it ends. Calls that it was answering then are made again,
 * each by itself where one of them may have ended it: that one fails with a sentence that says so, and no other.
 */
export class RepoKeeper extends PassingRepo implements RepoServer, AsyncDisposable {
  readonly #options: RepoKeeperOptions;
  readonly #closing = new AbortController();
  readonly #kept: Promise<void>;
  readonly #suspects: Suspects;
  readonly #alone: AloneRenders;
  #begun = waitedFor<Life>();
  /** The one that is there now. */
  #life: Life | undefined;

  constructor(options: RepoKeeperOptions) {
    super();
    this.#options = options;
    const { start, clock, parent, aloneDataDir } = options;
    this.#suspects = new Suspects(clock);
    const setup = { ...parent.setup, dataDir: aloneDataDir };
    const metrics = { ...parent.metrics, queue: () => undefined };
    this.#alone = new AloneRenders({ start, clock, parent: { ...parent, setup, metrics } });
    this.#kept = this.#keep();
  }

  /** Those that come along say that nothing is around them, where that is so. */
  async listPlugins(): Promise<readonly PluginSummary[]> {
    const { signal } = this.#closing;
    const plugins = await this.ask(undefined, (repo) => repo.listPlugins(), signal);
    const { whyNotConfined: why } = (await this.#whenBegun(signal)).process;
    if (why === undefined) return plugins;
    const note = `repositories are rendered without a sandbox: ${why}`;
    const noted = (one: PluginSummary) => ({ ...one, notes: [...(one.notes ?? []), note] });
    return plugins.map((one) => (one.origin === "built-in" ? noted(one) : one));
  }

  /** A process that is still starting knows of no revision. */
  forgetRevisions(url: string): void {
    this.#begun.promise.then(({ connection }) => connection.forgetRevisions(url)).catch(() => undefined);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#closing.abort(unavailable("it is shutting down"));
    await this.#alone[Symbol.asyncDispose]();
    await this.#kept;
  }

  protected async ask<Answer>(
    request: AnyRequest | undefined,
    call: (repo: RepoServer) => Promise<Answer>,
    signal: AbortSignal,
  ): Promise<Answer> {
    const suspect = request && "source" in request ? request : undefined;
    if (suspect && !this.#suspects.areNone && this.#suspects.isKept(suspectKey(suspect)))
      return this.#askAlone(suspect, call, signal);
    const folders = request ? requestedFolders(request) : [];
    for (let attempt = 1; ; attempt += 1) {
      const life = await this.#whenBegun(signal);
      life.process.localGit?.permit(folders);
      try {
        return await call(life.connection);
      } catch (error) {
        signal.throwIfAborted();
        if (error !== life.lost) throw error;
        this.#closing.signal.throwIfAborted();
        const { cause } = await life.process.ended;
        if (suspect && !life.isReplaced) this.#suspects.suspect(suspectKey(suspect));
        if (suspect && (cause !== "killed" || attempt === attempts))
          return this.#askAlone(suspect, call, signal);
        if (attempt === attempts) throw error;
      }
    }
  }

  /** Of what was under way when the process ended: whoever ends another one by himself was it. */
  async #askAlone<Answer>(
    request: RevisionRequest,
    call: (repo: RepoServer) => Promise<Answer>,
    signal: AbortSignal,
  ): Promise<Answer> {
    const key = suspectKey(request);
    const revision = await this.#revisionOf(request, signal);
    this.#suspects.throwIfConvicted(key, revision);
    for (let attempt = 1; ; attempt += 1) {
      try {
        const answer = await this.#alone.run(request, call, signal);
        this.#suspects.acquit(key);
        return answer;
      } catch (error) {
        signal.throwIfAborted();
        if (!(error instanceof EndedAlone)) throw error;
        if (error.end.cause === "killed" && attempt < attempts) continue;
        const failure = convictedOf(error.end, request);
        const { how } = error.end;
        this.#options.parent.log.error(
          { how, revision, problem: describeFailure(failure) },
          "a render was ended",
        );
        throw this.#suspects.convict(key, revision, failure);
      }
    }
  }

  /** Cheap: branches are listed, nothing of the repository is read. */
  async #revisionOf(request: RevisionRequest, signal: AbortSignal): Promise<string> {
    const life = await this.#whenBegun(signal);
    life.process.localGit?.permit(requestedFolders(request));
    const resolved = life.connection.resolveRevision(request, signal);
    return resolved.then(
      (one) => one.revision,
      () => request.revision ?? request.source.targetRevision ?? "",
    );
  }

  async #whenBegun(signal: AbortSignal): Promise<Life> {
    if (this.#life?.process.isOutdated?.()) this.#replace(this.#life);
    if (this.#life) return this.#life;
    const over = new AbortController();
    const limited = AbortSignal.any([signal, this.#closing.signal, over.signal]);
    const tooLate = async (): Promise<never> => {
      await this.#options.clock.sleep(patienceMs, limited).catch(() => undefined); // why is said next
      limited.throwIfAborted();
      throw unavailable("it does not start; the log says why");
    };
    try {
      return await Promise.race([this.#begun.promise, tooLate()]);
    } finally {
      over.abort(new Error("it is there"));
    }
  }

  /** What it is answering is asked again. */
  #replace(life: Life): void {
    life.isReplaced = true;
    this.#options.parent.log.info({}, "files that the repo server reads have changed: it is started anew");
    [this.#begun, this.#life] = [waitedFor<Life>(), undefined];
    life.process.kill();
  }

  async #keep(): Promise<void> {
    const { clock, parent } = this.#options;
    const { signal } = this.#closing;
    let failures = 0;
    while (!signal.aborted) {
      const started = clock.now();
      const { how, isReplaced } = await this.#live().catch((error: unknown) => {
        parent.log.error({ problem: messageOf(error) }, "the repo server cannot be started");
        return { how: messageOf(error), isReplaced: false };
      });
      if (signal.aborted) return;
      // Its end was asked for, and says nothing of the next one.
      if (isReplaced) continue;
      failures = clock.now() - started > steadyMs ? 1 : failures + 1;
      const againInMs = growingPause(failures, restarts);
      parent.log.warn({ how, againInMs }, "the repo server ended and is started again");
      await clock.sleep(againInMs, signal).catch(() => undefined); // it is closing
    }
  }

  /** One process from its start to its end; with how it ended. */
  async #live(): Promise<{ how: string; isReplaced: boolean }> {
    const { start, parent } = this.#options;
    const { signal } = this.#closing;
    const process = await start({ role: "main" });
    const lost = (problem = "its connection ended"): Error => {
      const error = unavailable(`it ended while it was asked (${problem}), and is started again`);
      life.lost = error;
      return error;
    };
    const connection = new RepoConnection(process.stream, parent, { lost });
    const life: Life = { process, connection, lost: undefined, isReplaced: false };
    const begun = this.#begun;
    let isOpen = false;
    connection.over.addEventListener("abort", () => {
      if (isOpen && this.#life === life) [this.#begun, this.#life] = [waitedFor<Life>(), undefined];
      void this.#end(process);
    });
    const close = (): void => connection.close();
    signal.addEventListener("abort", close, { once: true });
    try {
      await connection.open(setupOf(process, parent), signal);
      isOpen = !connection.over.aborted;
      if (isOpen) {
        this.#life = life;
        begun.resolve(life);
      }
    } catch (error) {
      if (!signal.aborted) parent.log.error({ problem: messageOf(error) }, "the repo server does not start");
      connection.close();
    }
    const { how } = await process.ended;
    signal.removeEventListener("abort", close);
    connection.close();
    parent.metrics.queue({ waiting: 0, running: 0 });
    return { how, isReplaced: life.isReplaced };
  }

  /** Without its connection it ends by itself; what hangs is killed, and at once where its successor waits. */
  async #end({ ended, kill }: RepoProcess): Promise<void> {
    if (!this.#closing.signal.aborted) return kill();
    const over = new AbortController();
    void ended.then(() => over.abort(new Error("it has ended")));
    await this.#options.clock.sleep(closeMs, over.signal).then(kill, () => undefined); // it has ended
  }
}

function unavailable(problem: string): CapstanError {
  return new CapstanError({ code: "UNAVAILABLE", what: "the repo server", problem });
}

/** Its failure is told to who waits, and is nobody's where nobody does. */
function waitedFor<Value>(): PromiseWithResolvers<Value> {
  const waited = Promise.withResolvers<Value>();
  waited.promise.catch(() => undefined);
  return waited;
}
