import { chmodSync, mkdirSync } from "node:fs";
import { dirname } from "node:path";
import { DatabaseSync, type StatementSync } from "node:sqlite";
import { Entry, leavingMark, type StoredTexts } from "./entry.ts";
import type { StoreEvent } from "./event-log.ts";
import { RecentTexts } from "./recent-texts.ts";

const schema = `
  CREATE TABLE IF NOT EXISTS objects (
    row INTEGER PRIMARY KEY, type TEXT NOT NULL, namespace TEXT NOT NULL, name TEXT NOT NULL,
    uid TEXT NOT NULL, revision INTEGER NOT NULL, owners TEXT NOT NULL, body TEXT NOT NULL);
  CREATE TABLE IF NOT EXISTS facts (name TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID;
`;

const leavingRevision = "leavingRevision";

/**
 * Those that are being deleted: to look for them in all texts takes longer at a start than to read all else. An older
 * Capstan writes none here, so that the revision is written up to which they are right.
 */
const schemaOfLeaving = `
  BEGIN IMMEDIATE;
  CREATE TABLE IF NOT EXISTS leaving (row INTEGER PRIMARY KEY);
  DELETE FROM leaving;
  INSERT INTO leaving SELECT row FROM objects WHERE instr(body, '${leavingMark}') > 0;
  INSERT OR REPLACE INTO facts SELECT '${leavingRevision}', value FROM facts WHERE name = 'revision';
  COMMIT;
`;

/**
 * The file behind the store. WAL with synchronous=NORMAL: a committed transaction is in the operating system's
 * hands, so killing this process loses nothing.
 */
export class Database implements Disposable {
  readonly #database: DatabaseSync;
  readonly #put: StatementSync;
  readonly #remove: StatementSync;
  readonly #addLeaving: StatementSync;
  readonly #removeLeaving: StatementSync;
  readonly #setFact: StatementSync;
  readonly #body: StatementSync;
  readonly #bodies: StatementSync;
  /** A cluster of 10,000 objects has some 20 million characters. */
  readonly #listed = new RecentTexts({ mostCharacters: 32_000_000 });
  readonly #asked = new RecentTexts({ mostCharacters: 16_000_000 });

  constructor(file: string) {
    mkdirSync(dirname(file), { recursive: true, mode: 0o700 });
    this.#database = openExclusively(file);
    chmodSync(file, 0o600); // it holds the cluster's keys
    this.#put = this.#database.prepare("INSERT OR REPLACE INTO objects VALUES (?, ?, ?, ?, ?, ?, ?, ?)");
    this.#remove = this.#database.prepare("DELETE FROM objects WHERE row = ?");
    this.#addLeaving = this.#database.prepare("INSERT OR IGNORE INTO leaving VALUES (?)");
    this.#removeLeaving = this.#database.prepare("DELETE FROM leaving WHERE row = ?");
    this.#body = this.#database.prepare("SELECT body FROM objects WHERE row = ?");
    const wanted = "SELECT value FROM json_each(?)";
    this.#bodies = this.#database.prepare(`SELECT row, body FROM objects WHERE row IN (${wanted})`);
    this.#bodies.setReturnArrays(true);
    this.#setFact = this.#database.prepare("INSERT OR REPLACE INTO facts VALUES (?, ?)");
  }

  fact(name: string): string | undefined {
    const row = this.#database.prepare("SELECT value FROM facts WHERE name = ?").get(name);
    return typeof row?.value === "string" ? row.value : undefined;
  }

  setFact(name: string, value: string): void {
    this.#setFact.run(name, value);
  }

  /** Without their texts, which are read when they are asked for. */
  *entries(): Generator<Entry> {
    const words = new Map<string, string>();
    // What many rows say alike is one text.
    const shared = (value: unknown): string => {
      const text = String(value);
      const known = words.get(text);
      if (known === undefined) words.set(text, text);
      return known ?? text;
    };
    const leaving = new Set(
      this.#database
        .prepare("SELECT row FROM leaving")
        .all()
        .map(({ row }) => Number(row)),
    );
    const columns = "row, type, namespace, name, uid, revision, owners";
    const rows = this.#database.prepare(`SELECT ${columns} FROM objects ORDER BY row`);
    rows.setReturnArrays(true);
    for (const values of rows.iterate()) {
      const [row, type, namespace, name, uid, revision, owners] = Object.values(values);
      yield new Entry({
        row: Number(row),
        type: shared(type),
        namespace: shared(namespace),
        name: String(name),
        uid: String(uid),
        revision: Number(revision),
        owners: owners === "" ? [] : String(owners).split(" "),
        text: this.texts,
        isLeaving: leaving.has(Number(row)),
      });
    }
  }

  readonly texts: StoredTexts = {
    one: (row) => {
      const atHand = this.#atHand(row);
      if (atHand !== undefined) return atHand;
      const body = this.#body.get(row)?.body;
      if (typeof body !== "string") throw new Error(`the cluster's data has lost row ${row}`);
      this.#asked.keep(row, body);
      return body;
    },
    many: (rows) => {
      const read = this.#readBodies(rows);
      return (row) => this.#atHand(row) ?? read.get(row);
    },
    listed: (rows) => {
      const read = this.#readBodies(rows);
      for (const [row, text] of read) this.#listed.keep(row, text);
      return (row) => this.#atHand(row) ?? read.get(row);
    },
  };

  #atHand(row: number): string | undefined {
    return this.#asked.get(row) ?? this.#listed.get(row);
  }

  /** By row, but for those that are at hand. */
  #readBodies(rows: readonly number[]): ReadonlyMap<number, string> {
    const lacking = rows.filter((row) => this.#atHand(row) === undefined);
    const found: unknown[] = lacking.length === 0 ? [] : this.#bodies.all(JSON.stringify(lacking));
    return new Map(found.filter(Array.isArray).map(([row, body]) => [Number(row), String(body)]));
  }

  /** All or nothing. */
  commit(events: readonly StoreEvent[], revision: number): void {
    for (const { previous } of events) previous?.keepText();
    this.#database.exec("BEGIN IMMEDIATE");
    try {
      for (const event of events) this.#write(event);
      this.#setFact.run("revision", String(revision));
      this.#setFact.run(leavingRevision, String(revision));
      this.#database.exec("COMMIT");
      for (const { entry } of events)
        for (const texts of [this.#asked, this.#listed]) texts.forget(entry.row);
    } catch (error) {
      // SQLite has rolled back by itself on a full disk; a second ROLLBACK would hide the cause.
      if (this.#database.isTransaction) this.#database.exec("ROLLBACK");
      throw error;
    }
  }

  #write({ kind, entry, previous }: StoreEvent): void {
    const { row, type, namespace, name, uid, owners, text } = entry;
    if (kind === "DELETED") this.#remove.run(row);
    else this.#put.run(row, type, namespace, name, uid, entry.revision, owners.join(" "), text);
    const isLeaving = kind !== "DELETED" && entry.isLeaving;
    if (isLeaving !== (previous?.isLeaving ?? false))
      (isLeaving ? this.#addLeaving : this.#removeLeaving).run(row);
  }

  /** Lets tests meet a full disk without filling one. */
  limitPages(pages: number): void {
    this.#database.exec(`PRAGMA max_page_count = ${pages}`);
  }

  [Symbol.dispose](): void {
    for (const texts of [this.#asked, this.#listed]) texts[Symbol.dispose]();
    this.#database.close();
  }
}

function knowsLeaving(database: DatabaseSync): boolean {
  if (!database.prepare("SELECT 1 FROM sqlite_schema WHERE name = 'leaving'").get()) return false;
  const fact = database.prepare("SELECT value FROM facts WHERE name = ?");
  return fact.get(leavingRevision)?.value === fact.get("revision")?.value;
}

function openExclusively(file: string): DatabaseSync {
  const database = new DatabaseSync(file, { timeout: 1_000 });
  try {
    database.exec("PRAGMA locking_mode = EXCLUSIVE; PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL;");
    // What is written is brought into place, which waits for the disk, each 16 MB: in a burst four times as seldom.
    database.exec("PRAGMA wal_autocheckpoint = 4000;");
    database.exec(schema);
    if (!knowsLeaving(database)) database.exec(schemaOfLeaving);
    return database;
  } catch (error) {
    database.close();
    const cause = error instanceof Error ? error.message : String(error);
    const advice = /locked|busy/i.test(cause)
      ? "another process has this data folder open: stop it, or choose another folder"
      : `${cause}: move the file away to start empty`;
    throw new Error(`cannot open the cluster's data ${file}: ${advice}`, { cause: error });
  }
}
