import { createHash, timingSafeEqual } from "node:crypto";
import { CapstanError, isCapstanError } from "@capstan/model";
import { CipherError, decryptValue, isEncrypted } from "./cipher.ts";
import { type KeyServices, openDataKey } from "./data-key.ts";
import { readDotenvFile } from "./dotenv-file.ts";
import type { EncryptedFile, Format, Leaf, Plain } from "./encrypted-file.ts";
import { readIniFile } from "./ini-file.ts";
import { readBinaryFile, readJsonFile } from "./json-file.ts";
import { type Metadata, readMetadata } from "./metadata.ts";
import { selector } from "./selection.ts";
import { readYamlFile } from "./yaml-file.ts";

const readers: Readonly<Record<Format, (text: string, file: string) => EncryptedFile>> = {
  yaml: readYamlFile,
  json: readJsonFile,
  dotenv: readDotenvFile,
  ini: readIniFile,
  binary: readBinaryFile,
};

export interface DecryptOptions {
  /** For errors. */
  file: string;
  format: Format;
  services: KeyServices;
  signal: AbortSignal;
}

/** sops.go MACOnlyEncryptedInitialization: the SHA-256 of "sops". */
const onlyEncryptedSeed = createHash("sha256").update("sops").digest();

/** The file as it was before `sops encrypt`; rejects with DECRYPTION_FAILED when anything was changed since. */
export async function decryptFile(text: string, options: DecryptOptions): Promise<Buffer> {
  const { file, format, services, signal } = options;
  const refuse = (problem: string, key?: string) =>
    new CapstanError({ code: "DECRYPTION_FAILED", file, ...(key && { key }), problem });
  try {
    const encrypted = readers[format](text, file);
    const metadata = readMetadata(encrypted.metadata);
    const dataKey = await openDataKey(metadata, services, signal);
    const mac = decryptLeaves(encrypted, { metadata, dataKey, refuse });
    if (!isSameMac(metadata, dataKey, mac))
      throw refuse("its values are not those that were encrypted: it was changed without sops");
    return encrypted.print();
  } catch (error) {
    signal.throwIfAborted();
    if (isCapstanError(error)) throw error;
    throw refuse(error instanceof Error ? error.message : String(error));
  }
}

function decryptLeaves(
  encrypted: EncryptedFile,
  with_: { metadata: Metadata; dataKey: Buffer; refuse: (problem: string, key?: string) => CapstanError },
): string {
  const { metadata, dataKey, refuse } = with_;
  const isSelected = selector(metadata.selection);
  const hash = createHash("sha512");
  if (metadata.macOnlyEncrypted) hash.update(onlyEncryptedSeed);
  for (const leaf of encrypted.leaves()) {
    const selected = isSelected(leaf);
    const value = selected ? decryptLeaf(leaf, dataKey, refuse) : leaf.value;
    if (selected) leaf.replace(value);
    if (value.type !== "comment" && (selected || !metadata.macOnlyEncrypted)) hash.update(value.bytes);
  }
  return hash.digest("hex").toUpperCase();
}

/** A comment may stand in clear: older versions of sops left them so. */
function decryptLeaf(
  { path, value }: Leaf,
  dataKey: Buffer,
  refuse: (problem: string, key?: string) => CapstanError,
): Plain {
  const text = value.bytes.toString();
  if (value.type === "comment" && !isEncrypted(text)) return value;
  if (value.type !== "str" && value.type !== "comment")
    throw refuse("it should be encrypted and is not: the file was changed without sops", path.join("."));
  try {
    return decryptValue(text, dataKey, `${path.join(":")}:`);
  } catch (error) {
    if (error instanceof CipherError) throw refuse(error.message, path.join("."));
    throw error;
  }
}

function isSameMac({ mac, lastModified }: Metadata, dataKey: Buffer, found: string): boolean {
  const kept = decryptValue(mac, dataKey, lastModified).bytes;
  const own = Buffer.from(found);
  return kept.length === own.length && timingSafeEqual(kept, own);
}
