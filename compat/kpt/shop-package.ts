import type { Files } from "@capstan/testkit";

/** Several kinds, comments, a subpackage, resources for tools alone, quotes and lists of both indents. */
export const shopPackage: Files = {
  Kptfile: `apiVersion: kpt.dev/v1
kind: Kptfile
metadata:
  name: shop
  annotations:
    config.kubernetes.io/local-config: "true"
info:
  description: A shop
`,
  "web.yaml": `# The shop's face.
apiVersion: apps/v1
kind: Deployment
metadata: # about it
  name: web # kpt-set: \${app}
  namespace: old
  labels: {app: web, tier: "front"}
  annotations:
    owner: 'team-a'
spec:
  replicas: 3 # kpt-set: \${replicas}
  selector:
    matchLabels:
      app: web
  template:
    metadata:
      labels:
        app: web
    spec:
      serviceAccountName: web
      initContainers:
      - name: wait
        image: busybox
      containers:
      - name: main
        image: nginx:1.25 # kpt-set: \${image}:\${tag}
        args: ["--listen", "0.0.0.0:80"]
        env:
        - name: GREETING
          value: "hello world"
        # where the settings are
        - name: SETTINGS
          valueFrom: {configMapKeyRef: {name: settings, key: greeting}}
        ports:
        - containerPort: 80
      - name: side
        image: registry.example.com/team/side@sha256:0123456789012345678901234567890123456789012345678901234567890123
      volumes:
      - name: secrets
        secret:
          secretName: keys
---
apiVersion: v1
kind: Service
metadata:
    name: web
spec:
    ports:
        - port: 80
    selector:
        app: web
`,
  "settings.yaml": `apiVersion: v1
kind: ConfigMap
metadata:
  name: settings
  namespace: old
data:
  greeting: "hello: world"
  file.txt: |
    nginx:1.25
    second line
  empty: ""
  number: "80"
---
apiVersion: v1
kind: Secret
metadata:
  name: keys
type: Opaque
stringData:
  password: nginx
---
apiVersion: v1
kind: ServiceAccount
metadata:
  name: web
---
apiVersion: rbac.authorization.k8s.io/v1
kind: ClusterRoleBinding
metadata:
  name: web
roleRef: {apiGroup: rbac.authorization.k8s.io, kind: ClusterRole, name: view}
subjects:
  - kind: ServiceAccount
    name: web
    namespace: old
`,
  "namespace.yaml": "apiVersion: v1\nkind: Namespace\nmetadata:\n  name: old\n",
  "local.yaml": `apiVersion: example.com/v1
kind: Notes
metadata:
  name: notes
  annotations:
    config.kubernetes.io/local-config: "true"
spec:
  for: [web, settings]
`,
  "batch/Kptfile": "apiVersion: kpt.dev/v1\nkind: Kptfile\nmetadata:\n  name: batch\n",
  "batch/jobs.yaml": `apiVersion: batch/v1
kind: CronJob
metadata:
  name: nightly
  namespace: jobs
spec:
  schedule: "0 3 * * *"
  suspend: false
  jobTemplate:
    spec:
      template:
        spec:
          restartPolicy: Never
          containers:
            - name: job
              image: 'nginx:latest'
---
apiVersion: example.com/v1
kind: Widget
metadata:
  name: gadget
  namespace: jobs
spec:
  image: nginx
  size: 1.0
  tags: # kpt-set: \${list}
    - one
    - two
`,
  "policy.yaml": `apiVersion: constraints.gatekeeper.sh/v1beta1
kind: K8sRequiredLabels
metadata:
  name: must-have-owner
spec:
  match: {kinds: [{apiGroups: [""], kinds: [Namespace]}]}
`,
};
