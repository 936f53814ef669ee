/**
 * Writes packages/cluster/src/protobuf/data/messages.json: what is needed to read the protobuf bodies that
 * client-go sends for built-in kinds. Source: generated.proto and the Go structs beside it in the Go modules
 * k8s.io/{api,apimachinery,apiextensions-apiserver,kube-aggregator} that testenv/kube selects (Apache-2.0).
 */
import { execFileSync } from "node:child_process";
import { globSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";

const modules = ["api", "apimachinery", "apiextensions-apiserver", "kube-aggregator"];
const out = "packages/cluster/src/protobuf/data/messages.json";

/** [json name, type, flags]: flags of "r" repeated, "m" map, "i" inline, "z" zero values are kept. */
type Field = [string, string, string];
type Messages = Record<string, Record<string, Field>>;

interface GoField {
  jsonName: string;
  isInline: boolean;
  keepsZero: boolean;
}

const moduleDir = (name: string): string =>
  execFileSync("go", ["-C", "testenv/kube", "list", "-m", "-f", "{{.Dir}}", `k8s.io/${name}`], {
    encoding: "utf8",
  }).trim();

/** Fields of the Go structs of a package, by struct and protobuf number. */
function readStructs(folder: string): Map<string, Map<string, GoField>> {
  const structs = new Map<string, Map<string, GoField>>();
  for (const file of globSync(join(folder, "*.go"))) {
    if (file.endsWith("generated.pb.go")) continue;
    let current: Map<string, GoField> | undefined;
    for (const line of readFileSync(file, "utf8").split("\n")) {
      const head = /^type (\w+) struct \{/.exec(line)?.[1];
      if (head) {
        current = structs.get(head) ?? new Map();
        structs.set(head, current);
      } else if (line.startsWith("}")) current = undefined;
      const field = /^\t(?:\w+\s+)?(\S+)\s+`json:"([^"]*)" .*?protobuf:"\w+,(\d+),/.exec(line);
      if (!field || !current) continue;
      const [, goType = "", json = "", number = ""] = field;
      const [jsonName = "", ...options] = json.split(",");
      current.set(number, {
        jsonName,
        isInline: options.includes("inline"),
        keepsZero: goType.startsWith("*") || !options.includes("omitempty"),
      });
    }
  }
  return structs;
}

function readProto(file: string, messages: Messages): void {
  const text = readFileSync(file, "utf8").replace(/\/\/.*$/gm, "");
  const name = /^package ([\w.]+);/m.exec(text)?.[1] ?? "";
  const structs = readStructs(dirname(file));
  for (const [, message = "", body = ""] of text.matchAll(/^message (\w+) \{([\s\S]*?)^\}/gm)) {
    const fields: Record<string, Field> = {};
    const pattern = /(optional|repeated|map<string, ?([\w.]+)>) ?([\w.]*) (\w+) = (\d+)/g;
    for (const [, label = "", mapped, type = "", proto = "", number = ""] of body.matchAll(pattern)) {
      const go = structs.get(message)?.get(number);
      const flags = [
        label === "repeated" ? "r" : "",
        mapped ? "m" : "",
        go?.isInline ? "i" : "",
        go?.keepsZero ? "z" : "",
      ].join("");
      fields[number] = [go?.jsonName || proto, qualify(mapped ?? type, name), flags];
    }
    messages[`${name}.${message}`] = fields;
  }
}

const scalars = new Set(["string", "bool", "bytes", "int32", "int64", "uint32", "uint64", "double", "float"]);

function qualify(type: string, packageName: string): string {
  if (scalars.has(type)) return type;
  return type.startsWith(".") ? type.slice(1) : type.includes(".") ? type : `${packageName}.${type}`;
}

const messages: Messages = {};
for (const module of modules)
  for (const file of globSync(join(moduleDir(module), "**/generated.proto")).toSorted())
    if (!/alpha|beta|testdata|testapigroup|\/imagepolicy\//.test(file)) readProto(file, messages);
writeFileSync(out, `${JSON.stringify(messages)}\n`);
console.log(`${out}: ${Object.keys(messages).length} messages`);
