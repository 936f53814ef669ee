/** An object of each built-in kind, filled enough that a client has something to show. */
interface Sample {
  readonly apiVersion: string;
  readonly kind: string;
  readonly metadata: object;
}

const labels = { app: "one" };
const container = {
  name: "main",
  image: "nginx:1.27",
  ports: [{ containerPort: 80, name: "http" }],
  env: [{ name: "A", value: "1" }],
  resources: { requests: { cpu: "100m", memory: "64Mi" }, limits: { memory: "128Mi" } },
  volumeMounts: [{ name: "settings", mountPath: "/etc/one" }],
  readinessProbe: { httpGet: { path: "/", port: "http" }, periodSeconds: 5 },
};
const podSpec = {
  containers: [container],
  volumes: [{ name: "settings", configMap: { name: "one" } }],
  tolerations: [{ key: "a", operator: "Exists", effect: "NoSchedule" }],
};
const template = { metadata: { labels }, spec: podSpec };
const selector = { matchLabels: labels };
const rules = [{ apiGroups: [""], resources: ["pods"], verbs: ["get", "list"] }];
const subjects = [{ kind: "User", apiGroup: "rbac.authorization.k8s.io", name: "ann" }];
const roleRef = (kind: string) => ({ apiGroup: "rbac.authorization.k8s.io", kind, name: "view" });

const one = (apiVersion: string, kind: string, more: object): Sample => ({
  apiVersion,
  kind,
  metadata: { name: "one", labels: { set: "one" }, annotations: { note: "of the test" } },
  ...more,
});

const job = {
  backoffLimit: 1,
  template: {
    spec: { restartPolicy: "Never", containers: [{ name: "main", image: "busybox", command: ["true"] }] },
  },
};

export const namespaced: readonly Sample[] = [
  one("v1", "ConfigMap", { data: { a: "1", b: "two\nlines\n" }, binaryData: { c: "AAEC" } }),
  one("v1", "Secret", { stringData: { password: "x" } }),
  one("v1", "ServiceAccount", { imagePullSecrets: [{ name: "one" }] }),
  one("v1", "LimitRange", {
    spec: { limits: [{ type: "Container", max: { cpu: "2" }, defaultRequest: { cpu: "50m" } }] },
  }),
  one("v1", "ResourceQuota", { spec: { hard: { configmaps: "20", "requests.cpu": "9", secrets: "9" } } }),
  one("v1", "Service", { spec: { selector: { app: "none" }, ports: [{ name: "http", port: 80 }] } }),
  one("discovery.k8s.io/v1", "EndpointSlice", {
    addressType: "IPv4",
    endpoints: [{ addresses: ["192.0.2.1"], conditions: { ready: true } }],
    ports: [{ name: "http", port: 80, protocol: "TCP" }],
  }),
  one("v1", "PersistentVolumeClaim", {
    spec: {
      accessModes: ["ReadWriteOnce"],
      storageClassName: "absent",
      resources: { requests: { storage: "1Gi" } },
    },
  }),
  one("v1", "PodTemplate", { template }),
  one("v1", "ReplicationController", {
    spec: {
      replicas: 0,
      selector: { rc: "one" },
      template: { ...template, metadata: { labels: { rc: "one" } } },
    },
  }),
  one("apps/v1", "ReplicaSet", { spec: { replicas: 0, selector, template } }),
  one("apps/v1", "Deployment", {
    spec: {
      replicas: 1,
      selector: { matchLabels: { d: "one" } },
      template: { ...template, metadata: { labels: { d: "one" }, annotations: { x: "y" } } },
    },
  }),
  one("apps/v1", "StatefulSet", {
    spec: {
      serviceName: "one",
      selector: { matchLabels: { s: "one" } },
      template: { ...template, metadata: { labels: { s: "one" } } },
    },
  }),
  one("apps/v1", "DaemonSet", {
    spec: {
      selector: { matchLabels: { ds: "one" } },
      template: { metadata: { labels: { ds: "one" } }, spec: { ...podSpec, nodeSelector: { no: "node" } } },
    },
  }),
  one("apps/v1", "ControllerRevision", { revision: 3, data: { a: 1 } }),
  one("batch/v1", "Job", { spec: job }),
  one("batch/v1", "CronJob", { spec: { schedule: "0 0 30 2 *", jobTemplate: { spec: job } } }),
  one("autoscaling/v2", "HorizontalPodAutoscaler", {
    spec: {
      scaleTargetRef: { apiVersion: "apps/v1", kind: "Deployment", name: "none" },
      minReplicas: 1,
      maxReplicas: 3,
      metrics: [
        {
          type: "Resource",
          resource: { name: "cpu", target: { type: "Utilization", averageUtilization: 80 } },
        },
      ],
    },
  }),
  one("policy/v1", "PodDisruptionBudget", {
    spec: { minAvailable: 1, selector: { matchLabels: { p: "none" } } },
  }),
  one("networking.k8s.io/v1", "Ingress", {
    spec: {
      ingressClassName: "absent",
      tls: [{ hosts: ["a.example.com"], secretName: "one" }],
      rules: [
        {
          host: "a.example.com",
          http: {
            paths: [
              { path: "/", pathType: "Prefix", backend: { service: { name: "one", port: { number: 80 } } } },
            ],
          },
        },
      ],
    },
  }),
  one("networking.k8s.io/v1", "NetworkPolicy", {
    spec: {
      podSelector: { matchLabels: labels },
      policyTypes: ["Ingress", "Egress"],
      ingress: [
        { from: [{ ipBlock: { cidr: "192.0.2.0/24", except: ["192.0.2.1/32"] } }], ports: [{ port: 80 }] },
      ],
    },
  }),
  one("rbac.authorization.k8s.io/v1", "Role", { rules }),
  one("rbac.authorization.k8s.io/v1", "RoleBinding", { roleRef: roleRef("ClusterRole"), subjects }),
  one("coordination.k8s.io/v1", "Lease", { spec: { holderIdentity: "me", leaseDurationSeconds: 15 } }),
  one("storage.k8s.io/v1", "CSIStorageCapacity", { storageClassName: "absent", capacity: "10Gi" }),
];

/** ONE stands for the name, which the whole cluster shares. */
const wide = (apiVersion: string, kind: string, more: object): Sample => ({
  apiVersion,
  kind,
  metadata: { name: "ONE", labels: { set: "one" } },
  ...more,
});

const hook = {
  name: "one.example.com",
  sideEffects: "None",
  admissionReviewVersions: ["v1"],
  failurePolicy: "Ignore",
  clientConfig: { url: "https://example.com/one" },
  rules: [{ apiGroups: ["none.example.com"], apiVersions: ["*"], resources: ["*"], operations: ["CREATE"] }],
};

export const clusterWide: readonly Sample[] = [
  wide("v1", "PersistentVolume", {
    spec: {
      capacity: { storage: "1Gi" },
      accessModes: ["ReadWriteOnce"],
      storageClassName: "absent-ONE",
      persistentVolumeReclaimPolicy: "Retain",
      hostPath: { path: "/one" },
    },
  }),
  wide("storage.k8s.io/v1", "StorageClass", {
    provisioner: "example.com/none",
    parameters: { a: "1" },
    volumeBindingMode: "WaitForFirstConsumer",
  }),
  wide("storage.k8s.io/v1", "CSIDriver", { spec: { attachRequired: false } }),
  wide("storage.k8s.io/v1", "VolumeAttributesClass", { driverName: "example.com", parameters: { a: "1" } }),
  wide("networking.k8s.io/v1", "IngressClass", { spec: { controller: "example.com/one" } }),
  wide("scheduling.k8s.io/v1", "PriorityClass", { value: 7, description: "Of the test." }),
  wide("node.k8s.io/v1", "RuntimeClass", { handler: "one", overhead: { podFixed: { cpu: "1m" } } }),
  wide("rbac.authorization.k8s.io/v1", "ClusterRole", {
    rules: [...rules, { nonResourceURLs: ["/x"], verbs: ["get"] }],
  }),
  wide("rbac.authorization.k8s.io/v1", "ClusterRoleBinding", { roleRef: roleRef("ClusterRole"), subjects }),
  wide("admissionregistration.k8s.io/v1", "ValidatingWebhookConfiguration", { webhooks: [hook] }),
  wide("admissionregistration.k8s.io/v1", "MutatingWebhookConfiguration", { webhooks: [hook] }),
  wide("admissionregistration.k8s.io/v1", "ValidatingAdmissionPolicy", {
    spec: {
      matchConstraints: {
        resourceRules: [
          { apiGroups: ["none.example.com"], apiVersions: ["*"], resources: ["*"], operations: ["CREATE"] },
        ],
      },
      validations: [{ expression: "true" }],
    },
  }),
  wide("admissionregistration.k8s.io/v1", "ValidatingAdmissionPolicyBinding", {
    spec: { policyName: "ONE", validationActions: ["Deny"] },
  }),
  wide("storage.k8s.io/v1", "CSINode", { spec: { drivers: [{ name: "example.com", nodeID: "one" }] } }),
  wide("flowcontrol.apiserver.k8s.io/v1", "PriorityLevelConfiguration", {
    spec: { type: "Limited", limited: { nominalConcurrencyShares: 1, limitResponse: { type: "Reject" } } },
  }),
  wide("flowcontrol.apiserver.k8s.io/v1", "FlowSchema", {
    spec: { priorityLevelConfiguration: { name: "ONE" }, matchingPrecedence: 9000 },
  }),
];
