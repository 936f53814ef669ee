import { createHash } from "node:crypto";
import type { IncomingMessage, ServerResponse } from "node:http";
import { text } from "node:stream/consumers";

/** What a server of Git LFS may be made to do otherwise than it should. */
export interface LfsMisdeeds {
  /** In place of the content. */
  content?: Buffer;
  /** In place of the address of a content. */
  href?: string;
  /** Of each object that is asked for. */
  object?: Readonly<Record<string, unknown>>;
  /** The whole answer to a question about objects. */
  answer?: Readonly<Record<string, unknown>>;
}

/**
 * A server of Git LFS for tests: the batch API with the transfer "basic", as
 * https://github.com/git-lfs/git-lfs/blob/main/docs/api/batch.md has it.
 */
export class LfsContents {
  readonly #contents = new Map<string, Buffer>();
  /** Numbers of objects in each question. */
  readonly batches: number[] = [];
  /** Digests, in the order in which contents were fetched. */
  readonly fetched: string[] = [];
  misdeeds: LfsMisdeeds = {};

  /** Keeps a content; gives the text of its pointer. */
  keep(content: string | Buffer): string {
    const bytes = Buffer.from(content);
    const oid = createHash("sha256").update(bytes).digest("hex");
    this.#contents.set(oid, bytes);
    return `version https://git-lfs.github.com/spec/v1\noid sha256:${oid}\nsize ${bytes.length}\n`;
  }

  /** Answers what is of Git LFS; false for every other request. */
  answers(request: IncomingMessage, response: ServerResponse): boolean {
    const { url = "", method, headers } = request;
    const host = `http://${headers.host}`;
    if (method === "POST" && url.endsWith(".git/info/lfs/objects/batch"))
      void text(request).then((body) => this.#batch(JSON.parse(body), host, response));
    else if (url.startsWith("/lfs-contents/"))
      this.#give(url.slice("/lfs-contents/".length), request, response);
    else return false;
    return true;
  }

  #batch(
    question: { objects: { oid: string; size: number }[] },
    host: string,
    response: ServerResponse,
  ): void {
    this.batches.push(question.objects.length);
    const objects = question.objects.map(({ oid, size }) => {
      if (!this.#contents.has(oid))
        return { oid, size, error: { code: 404, message: "Object does not exist" } };
      const href = this.misdeeds.href ?? `${host}/lfs-contents/${oid}`;
      const header = { Authorization: "Bearer for-this-object", "X-Of-Server": "yes" };
      return { oid, size, actions: { download: { href, header, expires_in: 60 } }, ...this.misdeeds.object };
    });
    response.writeHead(200, { "content-type": "application/vnd.git-lfs+json" });
    response.end(
      JSON.stringify({ transfer: "basic", objects, hash_algo: "sha256", ...this.misdeeds.answer }),
    );
  }

  #give(oid: string, { headers }: IncomingMessage, response: ServerResponse): void {
    const isLetIn = headers.authorization === "Bearer for-this-object" && headers["x-of-server"] === "yes";
    this.fetched.push(oid);
    if (isLetIn) response.end(this.misdeeds.content ?? this.#contents.get(oid));
    else response.writeHead(403).end('{"message": "not for you"}');
  }
}
