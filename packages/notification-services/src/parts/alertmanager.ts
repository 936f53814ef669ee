import { map, object, optional, string } from "@capstan/model/shapes";
import { definePart, mapTexts } from "../template/part.ts";

const ownName = "alertname";
/** Where a template does not say (pkg/services/alertmanager.go GetTemplater). */
const defaultGenerator = "{{.app.spec.source.repoURL}}";

export const alertmanagerPart = definePart({
  key: "alertmanager",
  schema: object({
    labels: map(string()),
    annotations: optional(map(string())),
    generatorURL: optional(string()),
    startsAt: optional(string()),
  }),
  check: ({ labels }) => (Object.keys(labels).length === 0 ? ["labels must have at least one"] : []),
  warn: ({ startsAt }) =>
    startsAt === undefined ? [] : ["startsAt has no effect: it is the time of sending"],
  compile(given, textOf, name) {
    const labels = mapTexts({ [ownName]: name, ...given.labels }, textOf);
    const annotations = given.annotations && mapTexts(given.annotations, textOf);
    const generator = textOf(given.generatorURL || defaultGenerator);
    return (vars, earlier) => ({
      labels: labels(vars),
      annotations: annotations?.(vars) ?? earlier?.annotations ?? {},
      generatorURL: overHttps(generator(vars) || (earlier?.generatorURL ?? "")),
    });
  },
});

/** git@host:org/repo, which is no URL. */
function overHttps(address: string): string {
  return address.startsWith("git@") ? `https://${address.slice("git@".length).replace(":", "/")}` : address;
}
