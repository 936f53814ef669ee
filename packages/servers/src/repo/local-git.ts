import { randomBytes } from "node:crypto";
import { once } from "node:events";
import { createServer, type Server, type Socket } from "node:net";
import { normalize } from "node:path";
import type { Readable, Writable } from "node:stream";
import { Limiter } from "@capstan/flow";
import { isCapstanError } from "@capstan/model";
import type { LocalGitAddress } from "@capstan/wire";
import { type GitRequest, readGitRequest, sayGitError } from "./git-request.ts";

/** A `git upload-pack` that has been started. */
export interface Upload {
  readonly stdin: Writable;
  readonly stdout: Readable;
  readonly stderr: Readable;
  /** With its exit code; null where something ended it. */
  readonly ended: Promise<number | null>;
  kill(): void;
}

/** What one process may fetch; none of it once it is disposed of. */
export interface LocalGitGrant extends Disposable {
  readonly address: LocalGitAddress;
  /** Absolute paths of repositories that it is asked about. */
  permit(folders: readonly string[]): void;
}

/**
 * Starts `git upload-pack` in a folder of this machine, in a sandbox of its own.
 *
 * @throws CapstanError for a folder that applications may not use
 */
export type StartUpload = (folder: string, version: number) => Promise<Upload>;

/** Beyond them a repository waits for its turn: each is a process. */
const atOnce = 8;
/** Connections of whom nothing is known yet; the one that has said nothing for longest makes room. */
const maxStrangers = 64;
/** Of a connection that says nothing; git says a word each 5 s while it works (uploadpack.keepAlive). */
const [firstLineMs, silenceMs] = [10_000, 120_000];
const maxStderr = 2_000;

/**
 * Repositories of this machine for processes whose sandbox sees none of them: git's own protocol on the loopback. What
 * is asked for must begin with a grant's token and be a folder that the grant permits.
 */
export class LocalGit implements AsyncDisposable {
  readonly #server: Server;
  readonly #start: StartUpload;
  readonly #grants = new Map<string, Set<string>>();
  readonly #sockets = new Set<Socket>();
  readonly #strangers = new Set<Socket>();
  readonly #closing = new AbortController();
  readonly #turns = new Limiter({ atOnce });

  private constructor(start: StartUpload) {
    this.#start = start;
    // git says that it has asked by ending its side: what it is answered goes on.
    this.#server = createServer({ allowHalfOpen: true }, (socket) => void this.#serve(socket));
  }

  static async listen(start: StartUpload): Promise<LocalGit> {
    const git = new LocalGit(start);
    git.#server.listen(0, "127.0.0.1");
    await once(git.#server, "listening");
    git.#server.unref();
    return git;
  }

  grant(): LocalGitGrant {
    const bound = this.#server.address();
    if (bound === null || typeof bound === "string") throw new TypeError("it does not listen");
    const token = randomBytes(32).toString("hex");
    const permitted = new Set<string>();
    this.#grants.set(token, permitted);
    return {
      address: { port: bound.port, token },
      permit: (folders) => {
        for (const folder of folders) permitted.add(normalize(folder));
      },
      [Symbol.dispose]: () => void this.#grants.delete(token),
    };
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#closing.abort(new Error("it ends"));
    for (const socket of this.#sockets) socket.destroy();
    this.#server.close();
  }

  async #serve(socket: Socket): Promise<void> {
    const over = new AbortController();
    this.#sockets.add(socket);
    socket.once("close", () => {
      this.#sockets.delete(socket);
      over.abort(new Error("the connection has ended"));
    });
    socket.on("error", () => undefined); // it closes then
    socket.setTimeout(silenceMs, () => socket.destroy());
    const signal = AbortSignal.any([over.signal, this.#closing.signal]);
    try {
      const request = await this.#firstLine(socket);
      if (!this.#grants.get(request.token)?.has(request.folder))
        refuse(socket, `no application names a repository in ${request.folder}`);
      else if (request.service === "receive-pack")
        refuse(socket, "a repository of this machine is only read: nothing is pushed to it");
      else await this.#turns.run(() => this.#upload(socket, request, signal), signal);
    } catch (error) {
      if (isCapstanError(error) && error.failure.code === "INVALID_ARGUMENT")
        refuse(socket, error.failure.problem);
      else socket.destroy();
    }
  }

  async #firstLine(socket: Socket): Promise<GitRequest> {
    this.#strangers.add(socket);
    const [oldest] = this.#strangers;
    if (this.#strangers.size > maxStrangers) oldest?.destroy();
    const tooLate = setTimeout(() => socket.destroy(), firstLineMs);
    try {
      return await readGitRequest(socket);
    } finally {
      clearTimeout(tooLate);
      this.#strangers.delete(socket);
    }
  }

  async #upload(socket: Socket, { folder, version }: GitRequest, signal: AbortSignal): Promise<void> {
    const upload = await this.#start(folder, version);
    const kill = (): void => upload.kill();
    signal.addEventListener("abort", kill, { once: true });
    try {
      signal.throwIfAborted();
      let stderr = "";
      upload.stderr.setEncoding("utf8").on("data", (text: string) => {
        stderr = (stderr + text).slice(0, maxStderr);
      });
      upload.stdin.on("error", () => undefined); // what is answered says it
      socket.pipe(upload.stdin);
      let isAnswered = false;
      for await (const chunk of upload.stdout) {
        isAnswered = true;
        if (!socket.write(chunk)) await once(socket, "drain", { signal });
      }
      const code = await upload.ended;
      if (isAnswered && code === 0) socket.end();
      else if (isAnswered) socket.destroy();
      else sayGitError(socket, stderr.trim() || "git ended without a word");
    } finally {
      signal.removeEventListener("abort", kill);
      kill();
    }
  }
}

/** As render/fetch/git-failure.ts reads it. */
function refuse(socket: Socket, problem: string): void {
  sayGitError(socket, `refused: ${problem}`);
}
