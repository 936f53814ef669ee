import { applyMergePatch, isRecord } from "@capstan/formats";
import { messageOf, parseYaml } from "@capstan/model";

type Fields = { [field: string]: unknown };

/**
 * The Application with the patch, YAML or JSON, in a strategic merge: objects are merged, lists replaced but for
 * finalizers, which are added, and the project stays (applicationset/controllers/template/patch.go).
 */
export function applyTemplatePatch(
  app: Fields & { metadata: Fields },
  text: string,
): Fields & { metadata: Fields } {
  let patch: unknown;
  try {
    patch = parseYaml(text);
  } catch (error) {
    throw new Error(`templatePatch: ${messageOf(error)}`, { cause: error });
  }
  if (patch === undefined || patch === null) return app;
  if (!isRecord(patch)) throw new Error("templatePatch: it is no object");
  const merged = merge(app, patch);
  const [before, spec] = [isRecord(app.spec) ? app.spec : {}, isRecord(merged.spec) ? merged.spec : {}];
  const metadata = isRecord(merged.metadata) ? merged.metadata : {};
  const added = isRecord(patch.metadata) ? patch.metadata.finalizers : undefined;
  return {
    ...merged,
    apiVersion: app.apiVersion,
    kind: app.kind,
    metadata: { ...metadata, ...joined(app.metadata.finalizers, added) },
    spec: { ...spec, project: before.project },
  };
}

/** With the directive `$patch: replace` (`delete`) of the object that has it. */
function merge(before: unknown, patch: Fields): Fields {
  const { $patch: directive, ...fields } = patch;
  if (directive === "delete") return {};
  const base: Fields = directive === "replace" || !isRecord(before) ? {} : before;
  const merged = new Map(Object.entries(base));
  for (const [field, value] of Object.entries(fields)) {
    if (field.startsWith("$")) throw new Error(`templatePatch: the directive ${field} is not known here`);
    if (value === null) merged.delete(field);
    else if (isRecord(value)) merged.set(field, merge(merged.get(field), value));
    else merged.set(field, applyMergePatch(undefined, value));
  }
  return Object.fromEntries(merged);
}

function joined(before: unknown, added: unknown): Fields {
  if (!Array.isArray(added)) return {};
  const all: unknown[] = [...added, ...(Array.isArray(before) ? before : [])];
  return { finalizers: [...new Set(all)] };
}
