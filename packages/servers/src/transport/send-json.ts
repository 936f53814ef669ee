import { createHash } from "node:crypto";
import { pipeline, Readable } from "node:stream";
import { setImmediate as nextTurn } from "node:timers/promises";
import { promisify } from "node:util";
import { brotliCompress, constants, createBrotliCompress, createGzip, gzip } from "node:zlib";
import { isRecord, stringifyJson } from "@capstan/formats";
import type { FastifyReply } from "fastify";
import { acceptedCoding, type ContentCoding, hasTag } from "./content-coding.ts";
import type { Projection } from "./project-fields.ts";

interface Sent {
  readonly projection: Projection | undefined;
  /** What a list was made from and for whom: the same text, the same list. Without, its own text tells. */
  readonly state: string | undefined;
}

/**
 * Sends a call's answer. Lists have an ETag, and 304 is the answer to who has them already; a long one is made and sent
 * piece by piece. What is read is compressed where the caller takes that; answers to calls that change something never
 * are: tokens are in such alone, and beside what a caller chose a length would tell of them (BREACH).
 */
export async function sendJson(reply: FastifyReply, answer: unknown, sent: Sent): Promise<FastifyReply> {
  const { headers, method } = reply.request;
  reply.header("content-type", "application/json").header("cache-control", "no-store");
  if (method !== "GET") return reply.send(wholeText(answer, sent.projection));
  reply.header("vary", "accept-encoding");
  const coding = acceptedCoding(headers["accept-encoding"]);
  if (!isList(answer)) return await sendText(reply, wholeText(answer, sent.projection), coding);
  const isKnown = (text: string): boolean => {
    const tag = tagOf(text);
    reply.header("etag", tag);
    return hasTag(headers["if-none-match"], tag);
  };
  if (sent.state !== undefined && isKnown(sent.state)) return sendNothing(reply);
  const pieces = listPieces(answer, sent.projection);
  const first = pieces.next().value ?? "";
  const second = pieces.next().value;
  if (second !== undefined) return sendPieces(reply, startWith([first, second], pieces), coding);
  if (sent.state === undefined && isKnown(first)) return sendNothing(reply);
  return await sendText(reply, first, coding);
}

function wholeText(answer: unknown, projection: Projection | undefined): string {
  return stringifyJson((projection ? projection.whole(answer ?? {}) : answer) ?? {});
}

function tagOf(text: string): string {
  return `W/"${createHash("sha256").update(text).digest("base64url").slice(0, 22)}"`;
}

function sendNothing(reply: FastifyReply): FastifyReply {
  return reply.code(304).removeHeader("content-type").send();
}

const worthCompressing = 4096;
const [gzipLevel, brotliLevel] = [1, 3];
/**
 * Bits of how far back brotli looks: 128 KB. Its usual 4 MB are taken anew for each answer, and V8, which counts them,
 * would collect all that is held for their sake; pages are not longer, and of long lists little more is found.
 */
const brotliWindow = 17;
const brotliParams = {
  [constants.BROTLI_PARAM_QUALITY]: brotliLevel,
  [constants.BROTLI_PARAM_LGWIN]: brotliWindow,
};
const [gzipText, brotliText] = [promisify(gzip), promisify(brotliCompress)];

async function sendText(
  reply: FastifyReply,
  text: string,
  coding: ContentCoding | undefined,
): Promise<FastifyReply> {
  if (coding === undefined || text.length < worthCompressing) return reply.send(text);
  const body =
    coding === "br"
      ? await brotliText(text, { params: brotliParams })
      : await gzipText(text, { level: gzipLevel });
  return reply.header("content-encoding", coding).send(body);
}

function sendPieces(
  reply: FastifyReply,
  pieces: AsyncIterable<string>,
  coding: ContentCoding | undefined,
): FastifyReply {
  // Texts as they are: as bytes each would be a buffer more, which comes back with the next collection alone.
  const source = Readable.from(pieces);
  if (coding === undefined) return reply.send(source);
  const encoder =
    coding === "br" ? createBrotliCompress({ params: brotliParams }) : createGzip({ level: gzipLevel });
  // Whoever goes away ends both; fastify tells of a failure, which the encoder's end is.
  pipeline(source, encoder, () => undefined);
  return reply.header("content-encoding", coding).send(encoder);
}

type List = Record<string, unknown> & { readonly items: readonly unknown[] };

function isList(answer: unknown): answer is List {
  return isRecord(answer) && Array.isArray(answer.items);
}

/** While one piece is sent the others are not yet made: nobody else waits until a long list is whole. */
const pieceLength = 65_536;

/** A list as JSON. What stands beside its entries is told whole, as Argo CD does it with `metadata`. */
function* listPieces({ items, ...beside }: List, projection: Projection | undefined): Generator<string> {
  const head = stringifyJson(beside);
  const item = projection ? projection.item : (value: unknown) => value;
  let text = `${head === "{}" ? "{" : `${head.slice(0, -1)},`}"items":[`;
  let separator = "";
  for (const one of item ? items : []) {
    text += separator + (stringifyJson(item?.(one)) ?? "null");
    separator = ",";
    if (text.length < pieceLength) continue;
    yield text;
    text = "";
  }
  yield `${text}]}`;
}

async function* startWith(first: readonly string[], more: Iterable<string>): AsyncIterable<string> {
  yield* first;
  for (const piece of more) {
    yield piece;
    await nextTurn();
  }
}
