import type { Manifest } from "@capstan/model";
import type { ApiResource } from "./api-resource.ts";
import type { ListQuery, ObjectList } from "./kube-client.ts";
import { collectionPath, withQuery } from "./object-paths.ts";
import type { RawRequests } from "./raw-requests.ts";
import { readPage } from "./read-manifest.ts";

interface ListNeeds {
  row: ApiResource;
  query: ListQuery;
  signal: AbortSignal;
  held: ((object: Manifest) => Manifest) | undefined;
}

/**
 * Characters that a page should have, and objects of which it may be: of large ones a few, for text and objects of a
 * page are in memory together, and what they leave behind there is as large as the largest; of small ones as many as
 * client-go asks for.
 */
const pageLength = 700_000;
const [fewest, first, most] = [10, 100, 500];

/** All objects, a page after the other. */
export async function listPages(
  ask: RawRequests["sizedJson"],
  { row, query, signal, held }: ListNeeds,
): Promise<ObjectList> {
  const { labelSelector, fieldSelector } = query;
  const items: Manifest[] = [];
  let limit = first;
  let next: string | undefined;
  for (;;) {
    const url = withQuery(collectionPath(row, query.namespace), {
      ...{ labelSelector, fieldSelector, limit, continue: next },
    });
    const { value, length } = await ask({ method: "GET", url, signal });
    const page = readPage(value, query);
    for (const object of page.items) items.push(held ? held(object) : object);
    if (!page.next) return { items, resourceVersion: page.resourceVersion };
    next = page.next;
    limit = Math.max(fewest, Math.min(most, Math.floor((pageLength * page.items.length) / length)));
  }
}
