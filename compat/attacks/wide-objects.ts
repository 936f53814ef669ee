/** Objects with so many parts of one kind that whoever looks for each among all of them never ends. */
interface Wide {
  readonly name: string;
  readonly threat: string;
  readonly manifest: object;
}

const many = <Item>(count: number, item: (index: number) => Item): Item[] =>
  Array.from({ length: count }, (_, index) => item(index));
const metadata = { name: "fine" };
const labels = { app: "wide" };

/** With so many finalizers. */
export const configMapOf = (finalizers: number) => ({
  apiVersion: "v1",
  kind: "ConfigMap",
  metadata: { ...metadata, finalizers: many(finalizers, (index) => `example.com/f-${index}`) },
});

/** With so many variables. */
export const deploymentOf = (variables: number) => ({
  apiVersion: "apps/v1",
  kind: "Deployment",
  metadata,
  spec: {
    replicas: 0,
    selector: { matchLabels: labels },
    template: {
      metadata: { labels },
      spec: {
        containers: [
          {
            name: "c",
            image: "nginx:1",
            env: many(variables, (index) => ({ name: `V${index}`, value: "x" })),
          },
        ],
      },
    },
  },
});

export const wide: readonly Wide[] = [
  {
    name: "wide-config-map",
    threat: "A ConfigMap has sixty thousand keys",
    manifest: {
      apiVersion: "v1",
      kind: "ConfigMap",
      metadata,
      data: Object.fromEntries(many(60_000, (index) => [`key-${index}`, "x"])),
    },
  },
  {
    name: "wide-finalizers",
    threat: "An object has twenty thousand finalizers, which are a set",
    manifest: configMapOf(20_000),
  },
  {
    name: "wide-environment",
    threat: "A container has thirty thousand variables, a list by name",
    manifest: deploymentOf(30_000),
  },
  {
    name: "wide-ports",
    threat: "A Service has ten thousand ports, each with faults",
    manifest: {
      apiVersion: "v1",
      kind: "Service",
      metadata,
      spec: {
        selector: labels,
        ports: many(10_000, (index) => ({ name: `Port ${index}`, port: index, protocol: "ABC" })),
      },
    },
  },
];
