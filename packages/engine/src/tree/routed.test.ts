import assert from "node:assert/strict";
import { test } from "node:test";
import type { ResourceNetworkingInfo } from "@capstan/model";
import { networkingOf } from "./networking.ts";

const service = (name: string, namespace = "shop") => ({ kind: "Service", namespace, name });
const to = (host: unknown) => ({ route: [{ destination: { host } }] });

const cases: [
  fact: string,
  group: string,
  kind: string,
  spec: object,
  found: ResourceNetworkingInfo | undefined,
][] = [
  [
    "a VirtualService sends to Services, each named once",
    "networking.istio.io",
    "VirtualService",
    { http: [to("web"), to("api.other.svc.cluster.local"), to("web"), to(5), {}] },
    { targetRefs: [service("web"), service("api", "other")] },
  ],
  [
    "a ServiceEntry sends to Pods with its labels",
    "networking.istio.io",
    "ServiceEntry",
    { workloadSelector: { labels: { app: "web" } } },
    { targetLabels: { app: "web" }, targetRefs: [{ kind: "Pod", name: "" }] },
  ],
  ["a ServiceEntry without labels", "networking.istio.io", "ServiceEntry", { hosts: ["web"] }, undefined],
  [
    "a route of the Gateway API sends to Services alone",
    "gateway.networking.k8s.io",
    "GRPCRoute",
    {
      rules: [
        { backendRefs: [{ name: "web" }, { name: "api", namespace: "other" }] },
        { backendRefs: [{ name: "bucket", group: "storage.example", kind: "Bucket" }] },
      ],
    },
    { targetRefs: [service("web"), service("api", "other")] },
  ],
  ["another group's route", "route.openshift.io", "Route", { rules: [] }, undefined],
];
for (const [fact, group, kind, spec, found] of cases)
  test(fact, () => {
    const metadata = { name: "one", namespace: "shop" };
    assert.deepEqual(networkingOf({ apiVersion: `${group}/v1`, kind, metadata, spec }), found);
  });
