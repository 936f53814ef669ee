import type { ListOf } from "./answers.ts";
import { route } from "./route.ts";

/** One object of one application, as it is found among those of all. */
export interface FoundResource {
  readonly application: { readonly namespace: string; readonly name: string; readonly project: string };
  readonly group: string;
  readonly kind: string;
  readonly namespace: string;
  readonly name: string;
  readonly health?: string;
  readonly message?: string;
  /** Of objects that come from the source. */
  readonly sync?: string;
  readonly images?: readonly string[];
  /** What made it: kind and name. */
  readonly owner?: string;
  /** It lies in the application's namespace, and no application has it. */
  readonly isOrphan?: true;
}

export const resourceRoutes = {
  /**
   * Ours: the objects of every application that the caller may see. `search` and `image` are parts of the name and of
   * an image, whatever their case. A page is of whole applications: it may hold more than `limit`, and less where
   * `metadata.continue` asks to look further.
   */
  listResources: route("GET", "/api/v1/resources", {
    search: "string",
    kind: "strings",
    health: "strings",
    sync: "strings",
    image: "string",
    project: "strings",
    orphaned: "boolean",
    limit: "integer",
    continue: "string",
  }).answers<ListOf<FoundResource>>(),
} as const;
