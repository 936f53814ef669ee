import type { IncomingMessage, ServerResponse } from "node:http";
import { type LoopbackServer, startLoopbackServer } from "./loopback-server.ts";
import { pushImage, type TestImage } from "./test-image.ts";

/** What images are pushed to and read from. */
export interface ImageRegistry extends AsyncDisposable {
  /** Host and port. */
  readonly host: string;
  push(name: string, tag: string, image: TestImage): Promise<void>;
}

export interface SmallRegistry extends ImageRegistry {
  /** `METHOD path`, in the order of arrival. */
  readonly requests: string[];
  /** Answers a request in place of the registry; true: it has. */
  intercept: ((request: IncomingMessage, response: ServerResponse) => boolean) | undefined;
}

/** Tags by pages of this many. */
const pageSize = 3;

/** A registry in this process: lists, manifests and blobs are those of the OCI distribution specification. */
export async function startSmallRegistry(): Promise<SmallRegistry> {
  const requests: string[] = [];
  const tags = new Map<string, Map<string, TestImage>>();
  const answer = (request: IncomingMessage, response: ServerResponse): void => {
    requests.push(`${request.method} ${request.url}`);
    if (registry.intercept?.(request, response)) return;
    const { pathname, searchParams } = new URL(request.url ?? "/", "http://registry");
    const [, name = "", kind = "", reference = ""] =
      /^\/v2\/(.+)\/(tags|manifests|blobs)\/([^/]+)$/.exec(pathname) ?? [];
    const images = tags.get(name);
    if (!images) response.writeHead(404).end();
    else if (kind === "tags")
      sendTags(response, { name, all: [...images.keys()].sort(), last: searchParams.get("last") });
    else sendContent(response, findContent([...images], kind, reference));
  };
  const server: LoopbackServer = await startLoopbackServer(answer);
  const registry: SmallRegistry = {
    host: new URL(server.url).host,
    requests,
    intercept: undefined,
    push: async (name, tag, image) => {
      const images = tags.get(name) ?? new Map<string, TestImage>();
      tags.set(name, images.set(tag, image));
    },
    [Symbol.asyncDispose]: () => server[Symbol.asyncDispose](),
  };
  return registry;
}

/** One that is there already, as the distribution project's. */
export function registryAt(host: string): ImageRegistry {
  return {
    host,
    push: (name, tag, image) => pushImage(`http://${host}`, { name, tag, image }),
    [Symbol.asyncDispose]: async () => undefined,
  };
}

function sendTags(
  response: ServerResponse,
  { name, all, last }: { name: string; all: readonly string[]; last: string | null },
): void {
  const from = last === null ? 0 : all.indexOf(last) + 1;
  const page = all.slice(from, from + pageSize);
  const more = from + pageSize < all.length;
  const link = { link: `</v2/${name}/tags/list?n=${pageSize}&last=${page.at(-1)}>; rel="next"` };
  response.writeHead(200, more ? link : {}).end(JSON.stringify({ name, tags: page }));
}

function findContent(images: readonly [string, TestImage][], kind: string, reference: string) {
  for (const [tag, image] of images) {
    const blob = image.blobs.get(reference);
    if (kind === "blobs" && blob !== undefined)
      return { mediaType: "application/octet-stream", body: blob, digest: reference };
    if (kind !== "manifests") continue;
    if (tag === reference || image.digest === reference) return image;
    const part = image.manifests.get(reference);
    if (part) return { ...part, digest: reference };
  }
  return undefined;
}

function sendContent(
  response: ServerResponse,
  content: { mediaType: string; body: string; digest: string } | undefined,
): void {
  if (!content) response.writeHead(404).end();
  else
    response
      .writeHead(200, { "content-type": content.mediaType, "docker-content-digest": content.digest })
      .end(content.body);
}
