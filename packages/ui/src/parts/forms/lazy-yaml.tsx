import { lazyPart } from "../../primitives/lazy-part.tsx";

/** Brings a reader of YAML; comes when the first object is edited. */
export const YamlDialog = lazyPart("The editor of YAML", () => import("./yaml-dialog.tsx"), { rows: 0 });
