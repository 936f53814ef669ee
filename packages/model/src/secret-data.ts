import { isRecord } from "@capstan/formats";
import type { Manifest } from "./manifest.ts";

/** The API server folds stringData into data when it writes, and drops blanks and line ends from base64. */
export function foldStringData(secret: Manifest): Manifest {
  const { stringData, data, ...rest } = secret;
  const folded: { [name: string]: unknown } = {};
  for (const [name, value] of Object.entries(isRecord(data) ? data : {})) {
    folded[name] = typeof value === "string" ? value.replace(/\s/g, "") : value;
  }
  for (const [name, text] of Object.entries(isRecord(stringData) ? stringData : {})) {
    folded[name] = new TextEncoder().encode(typeof text === "string" ? text : String(text)).toBase64();
  }
  return isRecord(stringData) || isRecord(data) ? { ...rest, data: folded } : secret;
}
