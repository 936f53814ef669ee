import { createDecipheriv } from "node:crypto";
import { type Plain, str } from "./encrypted-file.ts";

/** What cannot be decrypted; says why, never what. */
export class CipherError extends Error {
  override readonly name = "CipherError";
}

const shape = /^ENC\[AES256_GCM,data:([^,]+),iv:([^,]+),tag:([^,]+),type:([a-z]+)\]$/;
const types: ReadonlySet<string> = new Set(["str", "int", "float", "bool", "bytes", "time", "comment"]);

export function isEncrypted(text: string): boolean {
  return text.startsWith("ENC[AES256_GCM,");
}

/** `path` is what the value is bound to: its keys joined and ended by ":" (aes/cipher.go). */
export function decryptValue(text: string, key: Buffer, path: string): Plain {
  if (text === "") return str("");
  const [, data, iv, tag, type = ""] = shape.exec(text) ?? [];
  if (data === undefined || iv === undefined || tag === undefined)
    throw new CipherError("it should be encrypted and is not: the file was changed without sops");
  if (!isType(type)) throw new CipherError(`its type "${type}" is unknown`);
  const tagBytes = decodeBase64(tag);
  if (tagBytes.length !== 16) throw new CipherError("its tag has not 16 bytes");
  const decipher = createDecipheriv("aes-256-gcm", key, decodeBase64(iv), { authTagLength: 16 });
  decipher.setAuthTag(tagBytes).setAAD(Buffer.from(path));
  const bytes = decipher.update(decodeBase64(data));
  try {
    decipher.final();
  } catch (error) {
    throw new CipherError("it was changed, moved to another key, or belongs to another data key", {
      cause: error,
    });
  }
  return settle(type, bytes);
}

function isType(text: string): text is Plain["type"] {
  return types.has(text);
}

/** The MAC counts a value as Go prints it, however it was written. */
function settle(type: Plain["type"], bytes: Buffer): Plain {
  if (type !== "bool") return { type, bytes };
  const isTrue = /^(1|t|T|TRUE|true|True)$/.test(bytes.toString());
  return { type, bytes: Buffer.from(isTrue ? "True" : "False") };
}

/** Refuses what decodes to the same bytes as something else: a flipped bit must show. */
export function decodeBase64(text: string): Buffer {
  const bytes = Buffer.from(text, "base64");
  if (bytes.toString("base64") !== text) throw new CipherError("it is not base64");
  return bytes;
}
