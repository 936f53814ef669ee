import { hash } from "node:crypto";
import { DatabaseSync, type StatementSync } from "node:sqlite";
import { deflateSync, inflateSync } from "node:zlib";
import { stringifyJson } from "@capstan/formats";
import { keyText, type Manifest } from "@capstan/model";
import type { NewRecord, OperationRecords, RecordedApp } from "@capstan/planning";
import type { OperationChange, OperationRecord } from "@capstan/wire";

export interface OperationStoreLimits {
  /** Of one application. */
  readonly records: number;
  /** Of one record. */
  readonly changes: number;
  /** Of one object's text; a larger one is not kept. */
  readonly objectBytes: number;
  /** Of all objects' texts, as they are kept. */
  readonly allBytes: number;
}

const usual: OperationStoreLimits = {
  records: 30,
  changes: 2_000,
  objectBytes: 256 * 2 ** 10,
  allBytes: 256 * 2 ** 20,
};

/** An object is small, and a context of zlib's usual size is a quarter of a megabyte for each. */
const sparing = { level: 1, windowBits: 12, memLevel: 5 };
/** What is shorter is kept as text: its compression would cost more than the rest of its keeping. */
const leastCompressed = 2_000;

const schema = `
  PRAGMA journal_mode = WAL;
  PRAGMA synchronous = NORMAL;
  CREATE TABLE IF NOT EXISTS objects (
    digest TEXT PRIMARY KEY, body BLOB NOT NULL, uses INTEGER NOT NULL DEFAULT 0) WITHOUT ROWID;
  CREATE TABLE IF NOT EXISTS records (
    id INTEGER PRIMARY KEY AUTOINCREMENT, app TEXT NOT NULL, started TEXT NOT NULL, attempt INTEGER NOT NULL,
    sensitive INTEGER NOT NULL, body TEXT NOT NULL, UNIQUE (app, started, attempt));
`;

/** Until November 2026 which record uses which object was a table, whose pages cost more to write than all else. */
const upgrade = `
  BEGIN IMMEDIATE;
  ALTER TABLE objects ADD COLUMN uses INTEGER NOT NULL DEFAULT 0;
  UPDATE objects SET uses = (SELECT COUNT(*) FROM uses WHERE uses.digest = objects.digest);
  DROP TABLE uses;
  COMMIT;
`;

/**
 * What operations did, in a file of the data folder: each object once by its digest, however often it was the same.
 * The oldest goes when there is no room; a file that was killed in between is whole.
 */
export class OperationStore implements OperationRecords, Disposable {
  readonly #database: DatabaseSync;
  readonly #limits: OperationStoreLimits;
  readonly #statements = new Map<string, StatementSync>();
  /** Of all objects' texts, as they are kept. */
  #bytes: number;

  constructor(path: string, limits: Partial<OperationStoreLimits> = {}) {
    this.#limits = { ...usual, ...limits };
    this.#database = new DatabaseSync(path);
    this.#database.exec(schema);
    if (this.#prepared("SELECT 1 FROM sqlite_schema WHERE name = 'uses'").get()) this.#database.exec(upgrade);
    this.#bytes = this.#size();
  }

  add(app: RecordedApp, record: NewRecord): void {
    this.#database.exec("BEGIN IMMEDIATE");
    try {
      this.#insert(appText(app), record);
      this.#makeRoom(appText(app));
      this.#database.exec("COMMIT");
    } catch (error) {
      this.#database.exec("ROLLBACK");
      this.#bytes = this.#size();
      throw error;
    }
  }

  list(app: RecordedApp): OperationRecord[] {
    const rows = this.#prepared("SELECT id, body FROM records WHERE app = ? ORDER BY id DESC LIMIT ?").all(
      appText(app),
      this.#limits.records,
    );
    return rows.map(({ id, body }) => ({ ...JSON.parse(String(body)), id: String(id) }));
  }

  read(app: RecordedApp, id: string, key: Parameters<OperationRecords["read"]>[2]) {
    const row = this.#prepared("SELECT body FROM records WHERE app = ? AND id = ?").get(
      appText(app),
      Number(id),
    );
    if (!row) return undefined;
    const record: Omit<OperationRecord, "id"> = JSON.parse(String(row.body));
    const change = record.changes.find((one) => keyText(one) === keyText(key));
    if (!change) return undefined;
    const [before, after] = [this.#text(change.before), this.#text(change.after)];
    return { ...(before === undefined ? {} : { before }), ...(after === undefined ? {} : { after }) };
  }

  lastWasSensitive(app: RecordedApp): boolean | undefined {
    const row = this.#prepared("SELECT sensitive FROM records WHERE app = ? ORDER BY id DESC LIMIT 1").get(
      appText(app),
    );
    return row && row.sensitive === 1;
  }

  #insert(app: string, { sensitive, changes, ...rest }: NewRecord): void {
    const started = startOf(rest);
    const known = this.#prepared("SELECT id FROM records WHERE app = ? AND started = ? AND attempt = ?").get(
      app,
      started,
      rest.attempt,
    );
    if (known) this.#remove(Number(known.id));
    const digests = new Set<string>();
    const kept = changes
      .slice(0, this.#limits.changes)
      .map(({ before, after, ...change }): OperationChange => {
        const was = this.#keep(before, digests);
        const is = this.#keep(after, digests);
        return { ...change, ...(was ? { before: was } : {}), ...(is ? { after: is } : {}) };
      });
    const record: Omit<OperationRecord, "id"> = {
      ...rest,
      changes: kept,
      leftOut: changes.length - kept.length,
    };
    this.#prepared("INSERT INTO records (app, started, attempt, sensitive, body) VALUES (?, ?, ?, ?, ?)").run(
      app,
      started,
      rest.attempt,
      sensitive ? 1 : 0,
      JSON.stringify(record),
    );
  }

  /** Once for each record, however many of its changes it is in. */
  #keep(object: Manifest | undefined, digests: Set<string>): string | undefined {
    if (!object) return undefined;
    const text = stringifyJson(object);
    if (text.length > this.#limits.objectBytes) return undefined;
    const digest = hash("sha256", text);
    if (digests.has(digest)) return digest;
    digests.add(digest);
    const body = text.length < leastCompressed ? text : deflateSync(text, sparing);
    const kept = this.#prepared(
      "INSERT INTO objects (digest, body, uses) VALUES (?, ?, 1) ON CONFLICT DO UPDATE SET uses = uses + 1 RETURNING uses",
    ).get(digest, body);
    if (kept?.uses === 1) this.#bytes += Buffer.byteLength(body);
    return digest;
  }

  #text(digest: string | undefined): string | undefined {
    if (digest === undefined) return undefined;
    const body = this.#prepared("SELECT body FROM objects WHERE digest = ?").get(digest)?.body;
    if (typeof body === "string") return body;
    if (!(body instanceof Uint8Array)) return undefined;
    return inflateSync(body, { maxOutputLength: 2 * this.#limits.objectBytes }).toString("utf8");
  }

  #makeRoom(app: string): void {
    const surplus = this.#prepared(
      "SELECT id FROM records WHERE app = ? ORDER BY id DESC LIMIT -1 OFFSET ?",
    ).all(app, this.#limits.records);
    for (const { id } of surplus) this.#remove(Number(id));
    while (this.#bytes > this.#limits.allBytes) {
      const oldest = this.#prepared("SELECT id FROM records ORDER BY id LIMIT 1").get();
      if (!oldest) return;
      this.#remove(Number(oldest.id));
    }
  }

  /** With the objects that nothing else names. */
  #remove(id: number): void {
    const row = this.#prepared("DELETE FROM records WHERE id = ? RETURNING body").get(id);
    const { changes }: Pick<OperationRecord, "changes"> = JSON.parse(String(row?.body));
    const used = new Set(changes.flatMap(({ before = [], after = [] }) => [before, after].flat()));
    const drop = this.#prepared(
      "DELETE FROM objects WHERE digest = ? AND uses = 1 RETURNING OCTET_LENGTH(body) AS size",
    );
    const leave = this.#prepared("UPDATE objects SET uses = uses - 1 WHERE digest = ?");
    for (const digest of used) {
      const gone = drop.get(digest);
      if (gone) this.#bytes -= Number(gone.size);
      else leave.run(digest);
    }
  }

  #size(): number {
    return Number(this.#prepared("SELECT TOTAL(OCTET_LENGTH(body)) AS size FROM objects").get()?.size ?? 0);
  }

  #prepared(sql: string): StatementSync {
    const known = this.#statements.get(sql) ?? this.#database.prepare(sql);
    this.#statements.set(sql, known);
    return known;
  }

  [Symbol.dispose](): void {
    this.#database.close();
  }
}

const appText = ({ namespace, name, uid }: RecordedApp) => `${namespace}/${name} ${uid}`;

/** Times are whole seconds: what began in one is told apart by what it was to deploy, and for whom. */
function startOf({
  startedAt,
  revisions,
  sources,
  dryRun,
  initiatedBy,
}: Omit<NewRecord, "changes" | "sensitive">): string {
  const asked = stringifyJson({ revisions, sources, dryRun, initiatedBy });
  return `${startedAt} ${hash("sha256", asked, "base64url")}`;
}
