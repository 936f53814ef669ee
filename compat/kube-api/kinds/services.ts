import type { Kind } from "./kind.ts";

const target = { apiVersion: "apps/v1", kind: "Deployment", name: "d" };
const ingressRule = {
  host: "a.example.com",
  http: {
    paths: [{ path: "/", pathType: "Prefix", backend: { service: { name: "s", port: { number: 80 } } } }],
  },
};
const net = "networking.k8s.io/v1";

export const serviceKinds: readonly Kind[] = [
  {
    apiVersion: "autoscaling/v2",
    kind: "HorizontalPodAutoscaler",
    resource: "horizontalpodautoscalers",
    content: { spec: { scaleTargetRef: target, minReplicas: 1, maxReplicas: 3 } },
    change: { spec: { maxReplicas: 5 } },
    undecodable: { spec: { maxReplicas: "x" } },
    invalid: {
      "max under min": { spec: { minReplicas: 5 } },
      "min 0": { spec: { minReplicas: 0 } },
      "no max": { spec: { maxReplicas: 0 } },
      "no target": { spec: { scaleTargetRef: { name: "" } } },
      "bad metric": { spec: { metrics: [{ type: "Foo" }] } },
      "resource without target": { spec: { metrics: [{ type: "Resource" }] } },
      "bad utilization": {
        spec: {
          metrics: [
            {
              type: "Resource",
              resource: { name: "cpu", target: { type: "Utilization", averageUtilization: 0 } },
            },
          ],
        },
      },
    },
    status: { status: { currentReplicas: 2, desiredReplicas: 2 } },
  },
  {
    apiVersion: "autoscaling/v1",
    kind: "HorizontalPodAutoscaler",
    resource: "horizontalpodautoscalers",
    content: { spec: { scaleTargetRef: target, maxReplicas: 3, targetCPUUtilizationPercentage: 70 } },
    change: { spec: { maxReplicas: 5 } },
    undecodable: { spec: { maxReplicas: "x" } },
    invalid: { "max under min": { spec: { minReplicas: 5 } }, "no max": { spec: { maxReplicas: 0 } } },
    status: { status: { currentReplicas: 2, desiredReplicas: 2 } },
  },
  {
    apiVersion: net,
    kind: "IngressClass",
    resource: "ingressclasses",
    clusterWide: true,
    content: { spec: { controller: "example.com/controller" } },
    change: { metadata: { annotations: { a: "b" } } },
    undecodable: { spec: { controller: 1 } },
    invalid: {
      "bad controller": { spec: { controller: "a b" } },
      "bad scope": { spec: { parameters: { kind: "A", name: "a", scope: "Foo" } } },
    },
    immutable: { controller: { spec: { controller: "example.com/other" } } },
  },
  {
    apiVersion: net,
    kind: "Ingress",
    resource: "ingresses",
    content: { spec: { rules: [ingressRule] } },
    change: { spec: { ingressClassName: "c" } },
    undecodable: { spec: { rules: "x" } },
    invalid: {
      "nothing in it": { spec: { rules: null } },
      "bad host": { spec: { rules: [{ ...ingressRule, host: "A_b" }] } },
      "host is an address": { spec: { rules: [{ ...ingressRule, host: "192.0.2.1" }] } },
      "no path type": {
        spec: {
          rules: [
            { http: { paths: [{ path: "/", backend: { service: { name: "s", port: { number: 80 } } } }] } },
          ],
        },
      },
      "relative path": {
        spec: {
          rules: [
            {
              http: {
                paths: [
                  { path: "a", pathType: "Exact", backend: { service: { name: "s", port: { number: 80 } } } },
                ],
              },
            },
          ],
        },
      },
      "backend without port": {
        spec: { rules: null, defaultBackend: { service: { name: "s" } } },
      },
      "empty backend": { spec: { rules: null, defaultBackend: {} } },
      "bad class": { spec: { ingressClassName: "A_" } },
    },
    status: { status: { loadBalancer: { ingress: [{ hostname: "lb.example.com" }] } } },
  },
  {
    apiVersion: net,
    kind: "NetworkPolicy",
    resource: "networkpolicies",
    content: { spec: { podSelector: {}, policyTypes: ["Ingress"] } },
    change: { spec: { podSelector: { matchLabels: { a: "b" } } } },
    undecodable: { spec: { policyTypes: "x" } },
    invalid: {
      "bad type": { spec: { policyTypes: ["Foo"] } },
      "bad cidr": { spec: { ingress: [{ from: [{ ipBlock: { cidr: "x" } }] }] } },
      "empty peer": { spec: { ingress: [{ from: [{}] }] } },
      "bad protocol": { spec: { ingress: [{ ports: [{ protocol: "ICMP" }] }] } },
      "bad port": { spec: { ingress: [{ ports: [{ port: 70000 }] }] } },
      "block and selector": {
        spec: { ingress: [{ from: [{ ipBlock: { cidr: "192.0.2.0/24" }, podSelector: {} }] }] },
      },
      "except outside": {
        spec: { ingress: [{ from: [{ ipBlock: { cidr: "192.0.2.0/24", except: ["10.0.0.0/8"] } }] }] },
      },
    },
  },
  {
    apiVersion: net,
    kind: "IPAddress",
    resource: "ipaddresses",
    clusterWide: true,
    objectName: "<ip>",
    content: { spec: { parentRef: { resource: "services", namespace: "x", name: "y" } } },
    change: { metadata: { annotations: { a: "b" } } },
    undecodable: { spec: { parentRef: "x" } },
    invalid: { "no parent": { spec: { parentRef: null } } },
    immutable: { parent: { spec: { parentRef: { name: "z" } } } },
  },
  {
    apiVersion: "policy/v1",
    kind: "PodDisruptionBudget",
    resource: "poddisruptionbudgets",
    content: { spec: { minAvailable: 1, selector: { matchLabels: { a: "b" } } } },
    change: { spec: { minAvailable: 2 } },
    undecodable: { spec: { selector: "x" } },
    invalid: {
      "both bounds": { spec: { maxUnavailable: 1 } },
      "bad percent": { spec: { minAvailable: "many" } },
      "under 0": { spec: { minAvailable: -1 } },
      "bad policy": { spec: { unhealthyPodEvictionPolicy: "Foo" } },
    },
    status: {
      status: {
        disruptionsAllowed: 0,
        currentHealthy: 1,
        desiredHealthy: 1,
        expectedPods: 1,
        observedGeneration: 1,
      },
    },
  },
  {
    apiVersion: "discovery.k8s.io/v1",
    kind: "EndpointSlice",
    resource: "endpointslices",
    content: { addressType: "IPv4", endpoints: [{ addresses: ["192.0.2.1"] }], ports: [{ port: 80 }] },
    change: { endpoints: [{ addresses: ["192.0.2.2"], conditions: { ready: true } }] },
    undecodable: { endpoints: "x" },
    invalid: {
      "bad type": { addressType: "Foo" },
      "bad address": { endpoints: [{ addresses: ["x"] }] },
      "no address": { endpoints: [{ addresses: [] }] },
      "port name twice": {
        ports: [
          { port: 80, name: "a" },
          { port: 81, name: "a" },
        ],
      },
      "bad protocol": { ports: [{ port: 80, protocol: "ICMP" }] },
    },
    immutable: { type: { addressType: "IPv6", endpoints: [{ addresses: ["2001:db8::1"] }] } },
  },
  {
    apiVersion: "coordination.k8s.io/v1",
    kind: "Lease",
    resource: "leases",
    content: { spec: { holderIdentity: "me", leaseDurationSeconds: 15 } },
    change: { spec: { holderIdentity: "you" } },
    undecodable: { spec: { leaseDurationSeconds: "x" } },
    invalid: {
      "duration 0": { spec: { leaseDurationSeconds: 0 } },
      "transitions under 0": { spec: { leaseTransitions: -1 } },
    },
  },
  {
    apiVersion: "events.k8s.io/v1",
    kind: "Event",
    resource: "events",
    content: {
      eventTime: "2020-01-01T00:00:00.000000Z",
      reportingController: "example.com/c",
      reportingInstance: "c-1",
      action: "Test",
      reason: "Testing",
      type: "Normal",
      regarding: { kind: "Pod", name: "p", namespace: "<ns>" },
    },
    change: { metadata: { annotations: { a: "b" } } },
    undecodable: { eventTime: "x" },
    invalid: {
      "no time": { eventTime: null },
      "no reporter": { reportingController: "" },
      "no action": { action: "" },
      "no reason": { reason: "" },
      "bad type": { type: "Foo" },
    },
    immutable: { reason: { reason: "Other" } },
  },
];
