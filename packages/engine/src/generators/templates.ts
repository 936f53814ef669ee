import { isRecord } from "@capstan/formats";
import type { Parameters } from "./parameters.ts";

/** One of the two forms of templates. */
export interface Templates {
  /** What the text says for the parameters; throws an Error that says what is wrong with the text. */
  render(text: string, parameters: Parameters): string;
  /** Where all texts of a set have one budget. */
  readonly meter?: {
    /** By what was rendered until now. */
    taken(): TemplateCost;
    /** Takes what was rendered at an earlier time; throws where there is not so much left. */
    take(cost: TemplateCost): void;
  };
}

export interface TemplateCost {
  readonly steps: number;
  readonly size: number;
}

const free: TemplateCost = { steps: 0, size: 0 };

/** Makes something, and says what its texts took. */
export function metered<T>({ meter }: Templates, make: () => T): { value: T; cost: TemplateCost } {
  if (!meter) return { value: make(), cost: free };
  const before = meter.taken();
  const value = make();
  const after = meter.taken();
  return { value, cost: { steps: after.steps - before.steps, size: after.size - before.size } };
}

/**
 * `{{ name }}` stands for the parameter of that name, which is a text; what has none stays as it is
 * (applicationset/utils Render.Replace with valyala/fasttemplate).
 */
export const fastTemplates: Templates = {
  render(text, parameters) {
    // Both marks have to stand on one line somewhere, else nothing is looked for.
    if (!text.includes("{{") || !/\{\{.*\}\}/.test(text)) return text;
    let out = "";
    for (let at = 0; ; ) {
      const start = text.indexOf("{{", at);
      if (start < 0) return out + text.slice(at);
      const end = text.indexOf("}}", start + 2);
      if (end < 0)
        throw new Error(`invalid template: no }} after ${JSON.stringify(text.slice(start, start + 80))}`);
      const tag = text.slice(start + 2, end);
      const name = tag.trim();
      const value = name !== "" && Object.hasOwn(parameters, name) ? parameters[name] : undefined;
      out += text.slice(at, start) + (typeof value === "string" ? value : `{{${tag}}}`);
      at = end + 2;
    }
  },
};

/** Every text of a JSON value, and every field's name, rendered (applicationset/utils Render.deeplyReplace). */
export function fillTemplate<T>(template: T, parameters: Parameters, templates: Templates): T;
export function fillTemplate(template: unknown, parameters: Parameters, templates: Templates): unknown {
  const fill = (value: unknown): unknown => {
    if (typeof value === "string") return value.includes("{{") ? templates.render(value, parameters) : value;
    if (Array.isArray(value)) return value.map(fill);
    if (!isRecord(value)) return value;
    return Object.fromEntries(
      Object.entries(value).map(([field, one]) => [
        field.includes("{{") ? templates.render(field, parameters) : field,
        fill(one),
      ]),
    );
  };
  return fill(template);
}

/**
 * `values` of a generator, rendered by the parameters that it has without them, so that they cannot grow by each other
 * (applicationset/generators appendTemplatedValues).
 */
export function withValues(
  parameters: Parameters,
  values: Readonly<Record<string, string>> | undefined,
  { templates, isGo }: { templates: Templates; isGo: boolean },
): Parameters {
  const entries = Object.entries(values ?? {}).map(([name, text]): [string, string] => [
    name,
    text.includes("{{") ? templates.render(text, parameters) : text,
  ]);
  if (entries.length === 0) return parameters;
  if (isGo) return { ...parameters, values: Object.fromEntries(entries) };
  return { ...parameters, ...Object.fromEntries(entries.map(([name, text]) => [`values.${name}`, text])) };
}
