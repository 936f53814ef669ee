import assert from "node:assert/strict";
import { test } from "node:test";
import { ApiError, type KubeObject } from "../../types.ts";
import type { Pod } from "../kinds.ts";
import { resourceTypes } from "../resource-types.ts";
import { ManualClock, MemoryObjects, startWorld, type World } from "../test-world.ts";
import { admitService } from "./admit-service.ts";
import type { EndpointSlice, Endpoints, Ingress, Service, ServiceSpec } from "./kinds.ts";

function service(spec: ServiceSpec, name = "web"): Service {
  return { apiVersion: "v1", kind: "Service", metadata: { name, namespace: "shop" }, spec };
}

function admitted(objects: MemoryObjects, spec: ServiceSpec, previous?: Service): Service {
  const result = admitService(service(spec), previous, objects);
  assert.ok(isService(result));
  return result;
}

function isService(object: KubeObject): object is Service {
  return object.kind === "Service";
}

const port = { port: 80, protocol: "TCP", targetPort: "http" };

async function createPod(world: World, name: string, containerPort = 8080): Promise<void> {
  await world.objects.create<Pod>(resourceTypes.pods, {
    apiVersion: "v1",
    kind: "Pod",
    metadata: { name, namespace: "shop", labels: { app: "web" } },
    spec: { containers: [{ name: "web", image: "web", ports: [{ name: "http", containerPort }] }] },
  });
}

test("a Service gets an address of the range, a headless one and an external name get none", () => {
  const objects = new MemoryObjects(new ManualClock());
  const { spec } = admitted(objects, { ports: [port] });
  assert.match(spec.clusterIP ?? "", /^10\.96\.\d+\.\d+$/);
  assert.deepEqual(spec.clusterIPs, [spec.clusterIP]);
  assert.deepEqual([spec.ipFamilies, spec.ipFamilyPolicy], [["IPv4"], "SingleStack"]);
  assert.equal(admitted(objects, { clusterIP: "None" }).spec.clusterIP, "None");
  assert.deepEqual(admitted(objects, { type: "ExternalName", externalName: "example.com" }).spec, {
    type: "ExternalName",
    externalName: "example.com",
  });
});

test("addresses and node ports are given once", async () => {
  const objects = new MemoryObjects(new ManualClock());
  const first = admitted(objects, {
    type: "NodePort",
    clusterIP: "10.96.0.10",
    ports: [{ ...port, nodePort: 30080 }],
  });
  await objects.create(resourceTypes.services, first);
  assert.throws(
    () =>
      admitted(objects, { type: "NodePort", clusterIP: "10.96.0.10", ports: [{ ...port, nodePort: 30080 }] }),
    (error: unknown) =>
      error instanceof ApiError &&
      error.code === 422 &&
      error.message ===
        'Service "web" is invalid: [spec.clusterIPs: Invalid value: ["10.96.0.10"]: failed to allocate IP 10.96.0.10: provided IP is already allocated, spec.ports[0].nodePort: Invalid value: 30080: provided port is already allocated]',
  );
  await objects.delete(resourceTypes.services, "shop", "web");
  assert.equal(admitted(objects, { clusterIP: "10.96.0.10" }).spec.clusterIP, "10.96.0.10");
});

test("an update keeps what it leaves out and drops what its type has no use for", () => {
  const objects = new MemoryObjects(new ManualClock());
  const before = admitted(objects, { type: "LoadBalancer", ports: [port] });
  const kept = admitted(objects, { type: "LoadBalancer", ports: [port] }, before);
  assert.deepEqual(kept.spec, before.spec);
  const inner = admitted(objects, { ...before.spec, type: "ClusterIP" }, before);
  assert.equal(inner.spec.clusterIP, before.spec.clusterIP);
  assert.equal(inner.spec.ports?.[0]?.nodePort, undefined);
  const outer = admitted(
    objects,
    { ...before.spec, type: "ExternalName", externalName: "example.com" },
    before,
  );
  assert.equal(outer.spec.clusterIP, undefined);
});

test("EndpointSlices and Endpoints follow the Pods that a Service selects", async () => {
  using world = await startWorld({ podReadyDelayMs: 1_000 });
  await world.objects.create(
    resourceTypes.services,
    service({ clusterIP: "10.96.0.7", ports: [port], selector: { app: "web" } }),
  );
  await createPod(world, "web-1");
  await createPod(world, "web-2");
  await world.pass(2_000);
  const slices = () => world.objects.list<EndpointSlice>(resourceTypes.endpointSlices, "shop");
  const [slice] = slices();
  assert.equal(slices().length, 1);
  assert.equal(slice?.metadata.labels?.["kubernetes.io/service-name"], "web");
  assert.deepEqual(slice?.ports, [{ name: "", port: 8080, protocol: "TCP" }]);
  assert.deepEqual(
    slice?.endpoints.map(({ targetRef, conditions }) => [targetRef.name, conditions.ready]),
    [
      ["web-1", true],
      ["web-2", true],
    ],
  );
  const endpoints = world.objects.get<Endpoints>(resourceTypes.endpoints, "shop", "web");
  assert.match(JSON.stringify(endpoints?.subsets), /"ports":\[\{"port":8080,"protocol":"TCP"\}\]/);
  const pod = world.objects.get<Pod>(resourceTypes.pods, "shop", "web-2");
  assert.ok(pod);
  await world.objects.update(resourceTypes.pods, {
    ...pod,
    metadata: { ...pod.metadata, labels: { app: "other" } },
  });
  await world.pass(1_000);
  assert.deepEqual(
    slices()[0]?.endpoints.map(({ targetRef }) => targetRef.name),
    ["web-1"],
  );
  await world.objects.delete(resourceTypes.pods, "shop", "web-1");
  await world.pass(1_000);
  assert.deepEqual(slices()[0]?.endpoints, []);
});

test("more than a hundred endpoints take more than one slice", async () => {
  using world = await startWorld({ podReadyDelayMs: 0 });
  await world.objects.create(
    resourceTypes.services,
    service({ clusterIP: "None", ports: [port], selector: { app: "web" } }),
  );
  await Promise.all(Array.from({ length: 130 }, (_, at) => createPod(world, `web-${at}`)));
  await world.settle();
  const sizes = world.objects
    .list<EndpointSlice>(resourceTypes.endpointSlices)
    .map(({ endpoints }) => endpoints.length);
  assert.deepEqual(sizes.sort(), [100, 30]);
});

test("load balancers and ingresses get an address that leads nowhere", async () => {
  using world = await startWorld();
  await world.objects.create(resourceTypes.services, service({ type: "LoadBalancer", ports: [port] }));
  await world.objects.create(resourceTypes.ingresses, {
    apiVersion: "networking.k8s.io/v1",
    kind: "Ingress",
    metadata: { name: "web", namespace: "shop" },
    spec: {},
  });
  await world.settle();
  const balanced = world.objects.get<Service>(resourceTypes.services, "shop", "web");
  assert.deepEqual(balanced?.status, { loadBalancer: { ingress: [{ ip: "192.0.2.10", ipMode: "VIP" }] } });
  const ingress = world.objects.get<Ingress>(resourceTypes.ingresses, "shop", "web");
  assert.deepEqual(ingress?.status, { loadBalancer: { ingress: [{ ip: "192.0.2.10" }] } });
  assert.ok(balanced);
  await world.objects.update(resourceTypes.services, { ...balanced, spec: { ports: [port] } });
  await world.settle();
  assert.deepEqual(world.objects.get<Service>(resourceTypes.services, "shop", "web")?.status, {
    loadBalancer: {},
  });
});
