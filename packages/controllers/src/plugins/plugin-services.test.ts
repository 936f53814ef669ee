import assert from "node:assert/strict";
import { test } from "node:test";
import type { Manifest } from "@capstan/model";
import { readPluginServices } from "./plugin-services.ts";

const label = { "argocd.argoproj.io/plugin": "true" };

function service(name: string, more: { annotations?: Record<string, string>; spec?: object } = {}): Manifest {
  const { annotations = {}, spec = { type: "ClusterIP", ports: [{ port: 7000 }] } } = more;
  return {
    apiVersion: "v1",
    kind: "Service",
    metadata: { name, namespace: "argocd", uid: `uid-${name}`, labels: label, annotations },
    spec,
  };
}

interface Endpoint {
  address: string;
  pod?: string;
  conditions?: object;
}

function slice(of: string, endpoints: readonly Endpoint[], port: unknown = 7000): Manifest {
  return {
    apiVersion: "discovery.k8s.io/v1",
    kind: "EndpointSlice",
    metadata: { name: `${of}-${endpoints.length}`, labels: { "kubernetes.io/service-name": of } },
    endpoints: endpoints.map(({ address, pod, conditions = { ready: true } }) => ({
      addresses: [address],
      conditions,
      ...(pod === undefined ? {} : { targetRef: { kind: "Pod", name: pod, uid: `uid-${pod}` } }),
    })),
    ports: [{ port }],
  };
}

test("Services with the label, in name order, with their ready endpoints from all slices, each once", () => {
  const found = readPluginServices(
    [service("kpt"), service("cdk8s"), { ...service("web"), metadata: { name: "web" } }],
    [
      slice("kpt", [
        { address: "10.0.0.2", pod: "kpt-7d9f8c6b5-abcde" },
        { address: "10.0.0.1", pod: "kpt-7d9f8c6b5-fghij" },
        { address: "10.0.0.3", conditions: { ready: false, serving: true, terminating: true } },
      ]),
      slice("kpt", [{ address: "10.0.0.1", pod: "kpt-7d9f8c6b5-fghij" }]),
      slice("web", [{ address: "10.0.0.9" }]),
    ],
  );
  const endpoint = (host: string, end: string) => ({
    host,
    port: 7000,
    process: `kpt-7d9f8c6b5-${end} uid-kpt-7d9f8c6b5-${end}`,
    workload: "kpt-7d9f8c6b5",
  });
  assert.deepEqual(found, [
    { name: "cdk8s", serverName: "cdk8s.argocd.svc", endpoints: [] },
    {
      name: "kpt",
      serverName: "kpt.argocd.svc",
      endpoints: [endpoint("10.0.0.1", "fghij"), endpoint("10.0.0.2", "abcde")],
    },
  ]);
});

test("annotations name a plugin whose server tells no name, its authority, and that it speaks no TLS", () => {
  const annotations = {
    "argocd.argoproj.io/plugin-name": "kustomized",
    "argocd.argoproj.io/plugin-version": "v2",
    "argocd.argoproj.io/plugin-plaintext": "true",
    "argocd.argoproj.io/plugin-ca": "its authority",
  };
  const [found] = readPluginServices([service("a", { annotations })], []);
  assert.deepEqual(found, {
    name: "a",
    pluginName: "kustomized",
    pluginVersion: "v2",
    plaintext: true,
    authority: "its authority",
    serverName: "a.argocd.svc",
    endpoints: [],
  });
});

test("an ExternalName is an endpoint itself; without a port it is none", () => {
  const external = (ports: object[]) =>
    service("laptop", { spec: { type: "ExternalName", externalName: "ada.example", ports } });
  const [found] = readPluginServices([external([{ port: 9000 }])], []);
  assert.deepEqual(
    found?.endpoints.map(({ host, port }) => `${host}:${port}`),
    ["ada.example:9000"],
  );
  assert.equal(found?.serverName, undefined, "its certificate names the host");
  assert.deepEqual(readPluginServices([external([])], [])[0]?.endpoints, []);
});

test("slices that are not what they should be give no endpoints", () => {
  const odd = [
    slice("kpt", [{ address: "10.0.0.1" }], "http"),
    { ...slice("kpt", []), endpoints: null },
    { ...slice("kpt", []), endpoints: [{ addresses: [] }, "text"], ports: null },
  ];
  assert.deepEqual(
    readPluginServices([service("kpt")], odd).map(({ endpoints }) => endpoints),
    [[]],
  );
});
