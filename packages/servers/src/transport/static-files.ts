import { createHash } from "node:crypto";
import { readFile } from "node:fs/promises";
import { extname, join, normalize } from "node:path";
import { promisify } from "node:util";
import { brotliCompress, gzip } from "node:zlib";
import type { ServedPlace } from "../served-place.ts";
import { acceptedCoding, type ContentCoding, hasTag } from "./content-coding.ts";

const types: Record<string, string> = {
  ".html": "text/html; charset=utf-8",
  ".js": "text/javascript; charset=utf-8",
  ".css": "text/css; charset=utf-8",
  ".json": "application/json",
  ".map": "application/json",
  ".svg": "image/svg+xml",
  ".png": "image/png",
  ".ico": "image/x-icon",
  ".woff2": "font/woff2",
  ".txt": "text/plain; charset=utf-8",
};

const compressible = /^(text\/|application\/json|image\/svg)/;

interface StaticFile {
  type: string;
  etag: string;
  body: Buffer;
  /** By content coding; made when first asked for. */
  encoded: Map<ContentCoding, Promise<Buffer>>;
}

export interface StaticAnswer {
  status: 200 | 304;
  headers: Record<string, string>;
  body: Buffer | undefined;
}

const encoders = {
  br: promisify(brotliCompress),
  gzip: promisify(gzip),
};

/** The built page below a path. Files are read once and kept, compressed when that pays. */
export function createStaticFiles(folder: string, { base }: Pick<ServedPlace, "base">) {
  const files = new Map<string, StaticFile | undefined>();

  async function open(path: string): Promise<StaticFile | undefined> {
    const inside = normalize(join("/", path));
    if (files.has(inside)) return files.get(inside);
    const type = types[extname(inside)];
    const read = type === undefined ? undefined : await readFile(join(folder, inside)).catch(() => undefined);
    if (type === undefined || read === undefined) return undefined;
    const isPage = type.startsWith("text/html");
    const file = fileOf(type, isPage ? withBase(read, base) : read);
    // Compressed when the page was built.
    const dense = isPage ? undefined : await readFile(join(folder, `${inside}.br`)).catch(() => undefined);
    if (dense) file.encoded.set("br", Promise.resolve(dense));
    files.set(inside, file);
    return file;
  }

  return {
    /** `styles`: address of the operator's own, which may be another server's. */
    async answer(
      path: string,
      headers: Headers,
      styles?: string | undefined,
    ): Promise<StaticAnswer | undefined> {
      const file = await open(path);
      const answer = file && (await answerFile(file, path, headers));
      const origin = styles !== undefined && URL.canParse(styles) ? new URL(styles).origin : undefined;
      if (answer && origin) answer.headers["content-security-policy"] = contentPolicy(` ${origin}`);
      return answer;
    },
  };
}

function fileOf(type: string, body: Buffer): StaticFile {
  const etag = `"${createHash("sha256").update(body).digest("base64url").slice(0, 22)}"`;
  return { type, etag, body, encoded: new Map() };
}

/** Answers with a text as with a file of the page; what was made of the last one is kept. */
export function staticAnswer(type: string) {
  let known: { text: string; file: StaticFile } | undefined;
  return (text: string, headers: Headers): Promise<StaticAnswer> => {
    if (known?.text !== text) known = { text, file: fileOf(type, Buffer.from(text)) };
    return answerFile(known.file, "", headers);
  };
}

/** Names in the page are relative to it (server/server.go getIndexData); flags take no character that HTML minds. */
function withBase(page: Buffer, base: string): Buffer {
  return Buffer.from(page.toString().replace(/<base href="[^"]*"/, () => `<base href="${base}/"`));
}

interface Headers {
  "accept-encoding"?: string | string[] | undefined;
  "if-none-match"?: string | undefined;
}

async function answerFile(file: StaticFile, path: string, headers: Headers): Promise<StaticAnswer> {
  const isHashed = path.startsWith("/assets/");
  const answer = {
    "content-type": file.type,
    etag: file.etag,
    vary: "accept-encoding",
    "cache-control": isHashed ? "public, max-age=31536000, immutable" : "no-cache",
    ...pageHeaders,
  };
  if (hasTag(headers["if-none-match"], file.etag)) return { status: 304, headers: answer, body: undefined };
  const coding = codingFor(file, headers["accept-encoding"]);
  if (coding === undefined) return { status: 200, headers: answer, body: file.body };
  const known = file.encoded.get(coding) ?? encoders[coding](file.body);
  file.encoded.set(coding, known);
  return { status: 200, headers: { ...answer, "content-encoding": coding }, body: await known };
}

function codingFor(file: StaticFile, accepted: Headers["accept-encoding"]): ContentCoding | undefined {
  return file.body.length < 1400 || !compressible.test(file.type) ? undefined : acceptedCoding(accepted);
}

function contentPolicy(styles = ""): string {
  return (
    `default-src 'self'; script-src 'self'; style-src 'self' 'unsafe-inline'${styles}; img-src 'self' data:; ` +
    "connect-src 'self'; object-src 'none'; base-uri 'self'; form-action 'self'; frame-ancestors 'self'"
  );
}

/** Nothing but our own files runs in the page, and nobody frames it (Argo CD's X-Frame-Options and CSP, and stricter). */
const pageHeaders = {
  "x-frame-options": "sameorigin",
  "x-content-type-options": "nosniff",
  "x-robots-tag": "noindex",
  "referrer-policy": "same-origin",
  "cross-origin-resource-policy": "same-origin",
  "cross-origin-opener-policy": "same-origin",
  "content-security-policy": contentPolicy(),
};
