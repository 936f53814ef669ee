import { parseQuantity } from "@capstan/formats";
import { isObject, type JsonObject, listAt, numberAt, objectAt, textAt, valueAt } from "./json.ts";

/** pkg/api/pod warningsForPodSpecAndMeta: what may stand in a Pod and is hardly meant. `field` holds the spec. */
export function podWarnings(spec: JsonObject, field: string): string[] {
  const containers = ["initContainers", "containers", "ephemeralContainers"].flatMap((list) =>
    listAt(spec, list).map((container, index) => ({ container, at: `${field}.${list}[${index}]` })),
  );
  return [
    ...spreadWarnings(spec, field),
    ...volumeWarnings(spec, field),
    ...repeated(spec, { list: `${field}.hostAliases`, key: "ip" }),
    ...repeated(spec, { list: `${field}.imagePullSecrets`, key: "name" }),
    ...listAt(spec, "imagePullSecrets").flatMap((secret, index) =>
      textAt(secret, "name") ? [] : [`${field}.imagePullSecrets[${index}].name: invalid empty name ""`],
    ),
    ...containers.flatMap(({ container, at }) => [
      ...memoryWarnings(container, at),
      ...variableWarnings(container, at),
    ]),
    ...portWarnings(containers),
    ...((numberAt(spec, "terminationGracePeriodSeconds") ?? 0) < 0
      ? [
          `${field}.terminationGracePeriodSeconds: must be >= 0; negative values are invalid and will be treated as 1`,
        ]
      : []),
    ...affinityWarnings(spec, field),
  ];
}

const selectsNothing = "a null labelSelector results in matching no pod";

function spreadWarnings(spec: JsonObject, field: string): string[] {
  return listAt(spec, "topologySpreadConstraints").flatMap((constraint, index) =>
    objectAt(constraint, "labelSelector")
      ? []
      : [`${field}.topologySpreadConstraints[${index}].labelSelector: ${selectsNothing}`],
  );
}

function affinityWarnings(spec: JsonObject, field: string): string[] {
  const required = "requiredDuringSchedulingIgnoredDuringExecution";
  const preferred = "preferredDuringSchedulingIgnoredDuringExecution";
  return ["podAffinity", "podAntiAffinity"].flatMap((kind) =>
    [
      { list: required, below: [] },
      { list: preferred, below: ["podAffinityTerm"] },
    ].flatMap(({ list, below }) =>
      listAt(spec, "affinity", kind, list).flatMap((term, index) => {
        const place = [`${field}.affinity.${kind}.${list}[${index}]`, ...below, "labelSelector"].join(".");
        return objectAt(term, ...below, "labelSelector") ? [] : [`${place}: ${selectsNothing}`];
      }),
    ),
  );
}

const deprecatedVolumes: Readonly<Record<string, string>> = {
  photonPersistentDisk: "deprecated in v1.11, non-functional in v1.16+",
  gitRepo: "deprecated in v1.11, and disabled by default in v1.33+",
  scaleIO: "deprecated in v1.16, non-functional in v1.22+",
  flocker: "deprecated in v1.22, non-functional in v1.25+",
  storageos: "deprecated in v1.22, non-functional in v1.25+",
  quobyte: "deprecated in v1.22, non-functional in v1.25+",
  glusterfs: "deprecated in v1.25, non-functional in v1.26+",
  cephfs: "deprecated in v1.28, non-functional in v1.31+",
  rbd: "deprecated in v1.28, non-functional in v1.31+",
};

function volumeWarnings(spec: JsonObject, field: string): string[] {
  return listAt(spec, "volumes").flatMap((volume, index) =>
    Object.entries(deprecatedVolumes)
      .filter(([name]) => objectAt(volume, name))
      .map(([name, why]) => {
        const written = name === "storageos" ? "storageOS" : name;
        return `${field}.volumes[${index}].${written}: ${why}`;
      }),
  );
}

function repeated(spec: JsonObject, { list, key }: { list: string; key: string }): string[] {
  const seen = new Set<string>();
  return listAt(spec, list.slice(list.lastIndexOf(".") + 1)).flatMap((item, index) => {
    const value = textAt(item, key);
    const isKnown = seen.has(value);
    seen.add(value);
    return isKnown ? [`${list}[${index}].${key}: duplicate ${key} ${JSON.stringify(value)}`] : [];
  });
}

function memoryWarnings(container: unknown, at: string): string[] {
  return ["memory", "ephemeral-storage"].flatMap((name) =>
    ["limits", "requests"].flatMap((kind) => {
      const amount = valueAt(container, "resources", kind, name);
      const nanos = amount === undefined ? 0n : (parseQuantity(`${amount}`)?.nanos ?? 0n);
      if (nanos % 1_000_000_000n === 0n) return [];
      return [
        `${at}.resources.${kind}[${name}]: fractional byte value ${JSON.stringify(`${amount}`)} is invalid, must be an integer`,
      ];
    }),
  );
}

/** A later variable may only build on an earlier one of its name. */
function variableWarnings(container: unknown, at: string): string[] {
  const seen = new Set<string>();
  return listAt(container, "env").flatMap((variable, index) => {
    const [name, value] = [textAt(variable, "name"), textAt(variable, "value")];
    const isKnown = seen.has(name);
    seen.add(name);
    const reference = `$(${name})`;
    const builds = !objectAt(variable, "valueFrom") && value !== reference && value.includes(reference);
    if (!isKnown || builds) return [];
    return [
      `${at}.env[${index}]: hides previous definition of ${JSON.stringify(name)}, which may be dropped when using apply`,
    ];
  });
}

interface Port {
  at: string;
  hostIp: string;
  hostPort: number;
}

function portWarnings(containers: readonly { container: unknown; at: string }[]): string[] {
  const known = new Map<string, Port[]>();
  const warnings: string[] = [];
  for (const { container, at } of containers)
    for (const [index, port] of listAt(container, "ports").filter(isObject).entries()) {
      const own: Port = {
        at: `${at}.ports[${index}]`,
        hostIp: textAt(port, "hostIP"),
        hostPort: numberAt(port, "hostPort") ?? 0,
      };
      const key = `${port.containerPort}/${port.protocol}`;
      const others = known.get(key) ?? [];
      for (const other of others) {
        const how = overlap(own, other);
        if (how !== undefined) warnings.push(`${own.at}: ${how} port definition with ${other.at}`);
      }
      known.set(key, [...others, own]);
    }
  return warnings;
}

function overlap(own: Port, other: Port): string | undefined {
  if (own.hostIp === other.hostIp && own.hostPort === other.hostPort) return "duplicate";
  if (own.hostPort === 0 || other.hostPort === 0) return "overlapping";
  const isAmbiguous = own.hostPort === other.hostPort && (own.hostIp === "") !== (other.hostIp === "");
  return isAmbiguous ? "dangerously ambiguous" : undefined;
}
