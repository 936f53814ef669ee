import type { ApplicationRow } from "@capstan/model";
import type { ListOf } from "./answers.ts";
import type { PackedRows } from "./packed-rows.ts";
import { pageQuery, route } from "./route.ts";

/** What has become otherwise in the rows since a resource version. */
export interface ApplicationRowsChange {
  /** It is not known any more what has ended since then: the list is to be asked for anew. Nothing comes after it. */
  readonly stale?: true;
  /** New, or other than before. */
  readonly rows?: PackedRows<ApplicationRow>;
  /** `namespace/name` of those that are there no more, or not for whom asks. */
  readonly gone?: readonly string[];
  /** Who has this has all up to here. */
  readonly resourceVersion: string;
}

/** All Applications in short, for lists of many. Ours alone. */
export const applicationRowRoutes = {
  /** An item is some hundred rows; `limit` counts rows. */
  listApplicationRows: route("GET", "/api/v1/application-rows", pageQuery).answers<
    ListOf<PackedRows<ApplicationRow>>
  >(),
  watchApplicationRows: route("GET", "/api/v1/stream/application-rows", {
    resourceVersion: "string",
  }).streams<ApplicationRowsChange>(),
} as const;
