import { createHash } from "node:crypto";
import { type Arguments, native } from "../builtins/arguments.ts";
import { StarlarkError } from "../script-error.ts";
import { Module } from "../values/callables.ts";
import { quote } from "../values/quote.ts";
import { spend } from "../values/steps.ts";
import type { Value } from "../values/value.ts";

/** qri-io/starlib hash. */
export const hashModule = new Module(
  "hash",
  ["md5", "sha1", "sha256"].map((name) => [
    name,
    native(`hash.${name}`, (args) => {
      const text = args.take(1).text(0);
      spend(text.length >> 4);
      return createHash(name).update(text, "latin1").digest("hex");
    }),
  ]),
);

const alphabets = ["standard", "standard_raw", "url", "url_raw"];

/** qri-io/starlib encoding/base64. */
export const base64Module = new Module("base64", [
  ["encode", native("encode", encode)],
  ["decode", native("decode", decode)],
]);

function encode(args: Arguments): Value {
  const { data, encoding } = base64Arguments(args);
  const kind = encoding.startsWith("url") ? "base64url" : "base64";
  const text = Buffer.from(data, "latin1").toString(kind).replace(/=+$/, "");
  return encoding.endsWith("raw") ? text : text.padEnd(Math.ceil(text.length / 4) * 4, "=");
}

function decode(args: Arguments): Value {
  const { data, encoding } = base64Arguments(args);
  const text = data.replace(/[\r\n]/g, "");
  const body = encoding.endsWith("raw") ? text : text.replace(/={1,2}$/, "");
  const allowed = encoding.startsWith("url") ? /^[\w-]*/ : /^[A-Za-z0-9+/]*/;
  const good = allowed.exec(body)?.[0].length ?? 0;
  const isWhole = encoding.endsWith("raw") ? body.length % 4 !== 1 : text.length % 4 === 0;
  if (good < body.length || !isWhole)
    throw new StarlarkError(`illegal base64 data at input byte ${Math.min(good, body.length)}`);
  return Buffer.from(body, "base64").toString("latin1");
}

function base64Arguments(args: Arguments): { data: string; encoding: string } {
  const data = args.fit("data", "encoding?").text(0);
  const encoding = args.text(1, "") || "standard";
  spend(data.length >> 4);
  if (!alphabets.includes(encoding))
    throw new StarlarkError(`unsupported encoding format: ${quote(encoding)}`);
  return { data, encoding };
}
