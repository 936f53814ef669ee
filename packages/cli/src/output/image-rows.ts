import type { ImageUpdate } from "@capstan/wire";
import { formatTable } from "./table.ts";

/** Images of one application, or of several, each by its name. */
export interface NamedUpdates {
  readonly application?: string;
  readonly images: readonly ImageUpdate[];
}

export function imageTable(all: readonly NamedUpdates[]): string {
  const named = all.some(({ application }) => application !== undefined);
  const rows = all.flatMap(({ application = "", images }) =>
    images.map(({ alias, image, from, to, does, because }) => [
      ...(named ? [application] : []),
      ...[alias, image, from, to, does, because],
    ]),
  );
  const head = ["ALIAS", "IMAGE", "RUNS", "FITS", "DOES", "BECAUSE"];
  return rows.length === 0 ? "" : formatTable([[...(named ? ["NAME"] : []), ...head], ...rows]);
}

/** Every other tag of the registries. */
export function tagTable(all: readonly NamedUpdates[]): string {
  const named = all.some(({ application }) => application !== undefined);
  const rows = all.flatMap(({ application = "", images }) =>
    images.flatMap(({ alias, passedOver }) =>
      passedOver.map(({ tag, because }) => [...(named ? [application] : []), alias, tag, because]),
    ),
  );
  const head = ["ALIAS", "TAG", "NOT TAKEN BECAUSE"];
  return rows.length === 0 ? "" : formatTable([[...(named ? ["NAME"] : []), ...head], ...rows]);
}
