/** A value as SOPS types it: `bytes` are what its MAC counts (sops.go ToBytes). */
export interface Plain {
  type: "str" | "int" | "float" | "bool" | "bytes" | "time" | "comment";
  bytes: Buffer;
}

/** One value or comment of a file, in document order. */
export interface Leaf {
  /** Keys from the root; positions in lists do not count. */
  readonly path: readonly string[];
  /** Comments that stand before it, per level, itself included where it is one. */
  readonly comments: readonly (readonly string[])[];
  readonly value: Plain;
  replace(value: Plain): void;
}

/** What a format gives: its values in the order of the document, SOPS's own entries taken out. */
export interface EncryptedFile {
  /** The entries under `sops`. */
  readonly metadata: unknown;
  leaves(): Iterable<Leaf>;
  /** The file with what was replaced, without SOPS's entries. */
  print(): Buffer;
}

export type Format = "yaml" | "json" | "dotenv" | "ini" | "binary";

/** As sops chooses by the file's name (cmd/sops/formats). */
export function formatOf(file: string): Format {
  const name = file.toLowerCase();
  if (name.endsWith(".yaml") || name.endsWith(".yml")) return "yaml";
  if (name.endsWith(".json")) return "json";
  if (name.endsWith(".env")) return "dotenv";
  return name.endsWith(".ini") ? "ini" : "binary";
}

const signs: Readonly<Record<Format, RegExp>> = {
  yaml: /^["']?sops["']?\s*:/m,
  json: /"sops"\s*:/,
  dotenv: /^sops_/m,
  ini: /^\[sops\]/m,
  binary: /"sops"\s*:/,
};

/** Whether a file is worth being read as one that SOPS wrote. */
export function looksEncrypted(text: string, format: Format): boolean {
  return signs[format].test(text) && text.includes("ENC[AES256_GCM,");
}

export const str = (text: string): Plain => ({ type: "str", bytes: Buffer.from(text) });
