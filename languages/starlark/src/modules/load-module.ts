import { native } from "../builtins/arguments.ts";
import { StarlarkError } from "../script-error.ts";
import { Module } from "../values/callables.ts";
import type { Value } from "../values/value.ts";
import { csvModule } from "./csv-module.ts";
import { jsonModule } from "./json-module.ts";
import { krmfnModule } from "./krmfn-module.ts";
import { mathModule } from "./math-module.ts";
import { reModule } from "./re-module.ts";
import { base64Module, hashModule } from "./text-modules.ts";
import { timeModule } from "./time-module.ts";
import { yamlModule } from "./yaml-module.ts";

const modules: Readonly<Record<string, Module>> = {
  "encoding/base64.star": base64Module,
  "encoding/csv.star": csvModule,
  "encoding/json.star": jsonModule,
  "encoding/yaml.star": yamlModule,
  "hash.star": hashModule,
  "krmfn.star": krmfnModule,
  "math.star": mathModule,
  "re.star": reModule,
  "time.star": timeModule,
};

/** Libraries that can be loaded but not used: they reach the network, or formats that no manifest has. */
const missing: Readonly<Record<string, { name: string; members: readonly string[] }>> = {
  "bsoup.star": { name: "bsoup", members: ["parseHtml"] },
  "geo.star": {
    name: "geo",
    members: ["Point", "Line", "Polygon", "MultiPolygon", "within", "parseGeoJSON"],
  },
  "html.star": { name: "html", members: [] },
  "http.star": { name: "http", members: ["get", "put", "post", "delete", "patch", "options"] },
  "xlsx.star": { name: "xlsx", members: ["get_url"] },
  "zipfile.star": { name: "ZipFile", members: [] },
};

/** The libraries that kpt's function loads by name (functions/go/starlark, loadlib.go). */
export function loadModule(file: string): ReadonlyMap<string, Value> | undefined {
  const module = modules[file];
  if (module) return new Map([[module.name, module]]);
  const { name, members } = missing[file] ?? {};
  if (name === undefined || members === undefined) return undefined;
  const refused = members.map((member) => [member, refuse(file, member)] as const);
  return new Map([[name, members.length > 0 ? new Module(name, refused) : refuse(file, name)]]);
}

const refuse = (file: string, name: string): Value =>
  native(name, () => {
    throw new StarlarkError(`${name} of ${file} is not available here; use the function's image for it`);
  });
