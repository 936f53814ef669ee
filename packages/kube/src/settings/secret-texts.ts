import { isRecord } from "@capstan/formats";
import type { Manifest } from "@capstan/model";
import { recordAt, textsIn } from "../read-json.ts";

/** The decoded data of a Secret. */
export function secretTexts(secret: Manifest): Record<string, string> {
  const texts: Record<string, string> = {};
  for (const [field, encoded] of Object.entries(textsIn(recordAt(secret, "data")))) {
    texts[field] = Buffer.from(encoded, "base64").toString("utf8");
  }
  return isRecord(secret.stringData) ? { ...texts, ...textsIn(secret.stringData) } : texts;
}
