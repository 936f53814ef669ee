import { isRecord } from "@capstan/formats";
import type { Manifest } from "@capstan/model";
import type { ValuePath } from "./mask-paths.ts";
import { mask } from "./mask-secrets.ts";

/** Shorter secrets are found where they are a whole value, and not within other words. */
const minPartLength = 8;

/** The texts that stand at the paths. */
export function textsAt(paths: readonly ValuePath[] | undefined, manifest: Manifest): string[] {
  return (paths ?? []).flatMap((path) => {
    const value = path.reduce<unknown>(
      (at, step) => (isRecord(at) || Array.isArray(at) ? Reflect.get(at, step) : undefined),
      manifest,
    );
    return typeof value === "string" && value !== "" ? [value] : [];
  });
}

/**
 * A copy that can be shown of an object that may have been made from others which hold these texts, as a Pod is
 * from a Deployment: they give way to plus signs wherever they stand but in what names the object.
 */
export function maskTexts(texts: readonly string[], object: Manifest): Manifest {
  if (texts.length === 0) return object;
  const whole = new Set(texts);
  const parts = texts.filter(({ length }) => length >= minPartLength).sort((a, b) => b.length - a.length);
  return masked(object, (text) =>
    whole.has(text) ? mask : parts.reduce((left, part) => left.replaceAll(part, mask), text),
  );
}

/** Of an object of which nobody can tell what is secret: only its names and its times are left. */
export function maskAllTexts(object: Manifest): Manifest {
  return masked(object, () => mask);
}

function masked({ apiVersion, kind, metadata, ...rest }: Manifest, hide: (text: string) => string): Manifest {
  const { annotations, labels } = metadata;
  const marks = { annotations, labels };
  const shown = Object.fromEntries(
    Object.entries(marks).flatMap(([name, value]) => (value ? [[name, map(value, hide)]] : [])),
  );
  return { apiVersion, kind, metadata: { ...metadata, ...shown }, ...mapFields(rest, hide) };
}

function mapFields(fields: Record<string, unknown>, hide: (text: string) => string): Record<string, unknown> {
  return Object.fromEntries(Object.entries(fields).map(([name, value]) => [name, map(value, hide)]));
}

function map(value: unknown, hide: (text: string) => string): unknown {
  if (typeof value === "string") return hide(value);
  if (Array.isArray(value)) return value.map((item) => map(item, hide));
  return isRecord(value) ? mapFields(value, hide) : value;
}
