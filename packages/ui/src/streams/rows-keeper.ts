import type { ApplicationRow } from "@capstan/model";
import {
  type ApplicationRowsChange,
  applicationRowRoutes,
  buildRequest,
  type ListOf,
  type PackedRows,
  packRows,
  unpackRows,
} from "@capstan/wire";
import { fetchOf } from "./fetch-stream.ts";
import type { Session } from "./hub.ts";
import { type Connection, keepLive } from "./keep-live.ts";
import { factsOf, RequestFailure } from "./request-failure.ts";
import { type RowsTold, rowKey } from "./rows-told.ts";
import type { Heard, Opened } from "./stream-port.ts";

/** Whoever opens a list soon after finds it live. */
const keptLiveMs = 60_000;
/** What fills a screen comes first, the worst on top; then the rest. */
const [firstPage, nextPage] = [200, 20_000];

type Open = (url: string, heard: Heard) => Opened;
type Page = ListOf<PackedRows<ApplicationRow>>;

/** The rows of all applications: asked for once, then kept by what changes, for all windows that look at them. */
export class RowsKeeper {
  readonly #session: Session;
  readonly #openStream: Open;
  readonly #listeners = new Set<(told: RowsTold) => void>();
  #rows = new Map<string, ApplicationRow>();
  /** Up to where the rows are known; undefined: not all of them are. */
  #version: string | undefined;
  #connection: Connection | undefined;
  #following: AbortController | undefined;
  #ending: ReturnType<typeof setTimeout> | undefined;

  constructor(session: Session, openStream: Open) {
    this.#session = session;
    this.#openStream = openStream;
  }

  join({ open, message }: Heard): Opened {
    clearTimeout(this.#ending);
    this.#listeners.add(message);
    open();
    if (this.#rows.size > 0 || this.#version !== undefined) message(this.#everything());
    if (this.#connection) message({ connection: this.#connection });
    if (!this.#following) this.#follow();
    return {
      close: () => {
        this.#listeners.delete(message);
        if (this.#listeners.size === 0) this.#ending = setTimeout(() => this.#rest(), keptLiveMs);
      },
    };
  }

  /** What one person was shown is not shown to the next. */
  forget(): void {
    this.#rest();
    this.#rows = new Map();
    this.#version = undefined;
  }

  /** What is known is kept: whoever comes later is told what has changed since. */
  #rest(): void {
    clearTimeout(this.#ending);
    this.#following?.abort();
    this.#following = undefined;
  }

  #everything(): RowsTold {
    return { reset: true, rows: [packRows([...this.#rows.values()])], isWhole: this.#version !== undefined };
  }

  #tell(told: RowsTold): void {
    for (const listener of this.#listeners) listener(told);
  }

  #follow(): void {
    this.#following = new AbortController();
    const source = {
      report: (connection: Connection | undefined) => {
        this.#connection = connection;
        if (connection) this.#tell({ connection });
      },
      load: (signal: AbortSignal) => this.#load(signal),
      follow: (version: string, reader: Reader) => this.#followFrom(version, reader),
      apply: (version: string) => version,
      publish: () => undefined,
      fail: (failure: unknown) => this.#tell({ failure: factsOf(failure) }),
    };
    void keepLive<string, never>(source, this.#following.signal);
  }

  async #load(signal: AbortSignal): Promise<string> {
    if (this.#version !== undefined) return this.#version;
    // What was there before is nearer to the truth than a part of what is.
    const isShown = this.#rows.size === 0;
    const { version, rows } = await loadPages(
      (page) => this.#page(page, signal),
      (packed) => {
        if (isShown && !signal.aborted) this.#add(packed);
      },
    );
    signal.throwIfAborted();
    this.#version = version;
    if (isShown) this.#tell({ isWhole: true });
    else {
      this.#rows = new Map(rows.flatMap(unpackRows<ApplicationRow>).map((row) => [rowKey(row), row]));
      this.#tell(this.#everything());
    }
    return version;
  }

  async #page(page: { limit: number; continue?: string }, signal: AbortSignal): Promise<Page> {
    const { url } = buildRequest(applicationRowRoutes.listApplicationRows, { sort: "state", ...page });
    return await (await fetchOf(url, this.#session, signal)).json();
  }

  #add(packed: readonly PackedRows<ApplicationRow>[]): void {
    for (const row of packed.flatMap(unpackRows<ApplicationRow>)) this.#rows.set(rowKey(row), row);
    this.#tell({ rows: packed });
  }

  #followFrom(resourceVersion: string, { signal, onOpen }: Reader): Promise<"load again" | undefined> {
    const { url } = buildRequest(applicationRowRoutes.watchApplicationRows, { resourceVersion });
    return new Promise((resolve, reject) => {
      const opened = this.#openStream(url, {
        open: onOpen,
        // What the call streams.
        message: (change) => this.#take(change as ApplicationRowsChange),
        end: (failure) =>
          failure
            ? reject(new RequestFailure(failure))
            : resolve(this.#version === undefined ? "load again" : undefined),
      });
      signal.addEventListener("abort", () => {
        opened.close();
        reject(signal.reason);
      });
    });
  }

  #take({ stale, rows, gone = [], resourceVersion }: ApplicationRowsChange): void {
    if (stale) {
      this.#version = undefined;
      return;
    }
    this.#version = resourceVersion;
    for (const key of gone) this.#rows.delete(key);
    if (gone.length > 0) this.#tell({ gone });
    if (rows) this.#add([rows]);
  }
}

interface Reader {
  readonly signal: AbortSignal;
  onOpen(): void;
}

/**
 * All pages; `show` is called with each. What changes meanwhile is told by a watch from the version of the first.
 */
export async function loadPages(
  ask: (page: { limit: number; continue?: string }) => Promise<Page>,
  show: (packed: readonly PackedRows<ApplicationRow>[]) => void,
): Promise<{ version: string; rows: readonly PackedRows<ApplicationRow>[] }> {
  const first = await ask({ limit: firstPage });
  const rows = [...(first.items ?? [])];
  show(rows);
  let next = first.metadata.continue;
  while (next) {
    const page = await ask({ limit: nextPage, continue: next });
    rows.push(...(page.items ?? []));
    show(page.items ?? []);
    next = page.metadata.continue;
  }
  return { version: first.metadata.resourceVersion ?? "", rows };
}
