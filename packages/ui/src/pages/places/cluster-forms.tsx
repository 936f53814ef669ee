import type { RestCluster } from "@capstan/wire";
import { FormDialog, type FormField, type FormValues } from "../../parts/forms/form-dialog.tsx";
import { createCluster, updateCluster } from "../../queries/places.ts";

const name: FormField = { name: "name", label: "Name", required: true };
const token: FormField = { name: "bearerToken", label: "Token", kind: "secret" };
const reach: readonly FormField[] = [
  { name: "namespaces", label: "Namespaces", hint: "With commas between; without any, all" },
  { name: "project", label: "Project", hint: "Without one every project may deploy there" },
];
const labels: FormField = {
  name: "labels",
  label: "Labels",
  hint: "env=prod, region=eu: by these ApplicationSets choose clusters",
};
const trust: readonly FormField[] = [
  { name: "caData", label: "Certificate of its authority", kind: "text", hint: "PEM" },
  { name: "insecure", label: "Do not check the server's certificate", kind: "check" },
];

export function AddCluster({ onClose }: { onClose(): void }) {
  return (
    <FormDialog
      title="Add a cluster"
      verb="Add the cluster"
      fields={[
        name,
        { name: "server", label: "Server", required: true, hint: "https://address:6443" },
        {
          ...token,
          required: true,
          hint: "Of a service account there; capstan cluster add CONTEXT makes one",
        },
        ...trust,
        ...reach,
        labels,
      ]}
      onClose={onClose}
      submit={async (values) => {
        await createCluster(clusterOf(values, values.server ?? ""));
      }}
    />
  );
}

/** Its address stays. Of its access nothing is shown; it is written anew where a token is given. */
export function ChangeCluster({ stored, onClose }: { stored: RestCluster; onClose(): void }) {
  const { namespaces = [], project = "", labels: own = {} } = stored;
  const ofLabels = Object.entries(own).map(([label, value]) => `${label}=${value}`);
  const start = {
    ...{ name: stored.name, project, namespaces: namespaces.join(", "), labels: ofLabels.join(", ") },
    insecure: stored.config?.tlsClientConfig?.insecure ? "yes" : "",
  };
  const isGiven = ({ bearerToken }: FormValues) => Boolean(bearerToken);
  return (
    <FormDialog
      title={`Change cluster ${stored.name}`}
      verb="Change the cluster"
      start={start}
      fields={[
        name,
        ...reach,
        labels,
        { ...token, hint: "Without one its access stays as it is" },
        ...trust.map((field) => ({ ...field, when: isGiven })),
      ]}
      onClose={onClose}
      submit={async (values) => {
        const wanted = clusterOf(values, stored.server);
        const changed = (["name", "namespaces", "project", "labels"] as const).filter(
          (field) => (values[field] ?? "") !== start[field],
        );
        await updateCluster(wanted, [...changed, ...(isGiven(values) ? (["config"] as const) : [])]);
      }}
    />
  );
}

function clusterOf(values: FormValues, server: string): RestCluster {
  const { bearerToken = "", caData, insecure, namespaces, project } = values;
  return {
    ...{ name: values.name ?? "", server },
    config: {
      bearerToken,
      tlsClientConfig: { insecure: insecure === "yes", ...(caData && { caData: btoa(caData) }) },
    },
    labels: labelsOf(values.labels ?? ""),
    ...(namespaces && { namespaces: listOf(namespaces) }),
    ...(project && { project }),
  };
}

const listOf = (text: string): string[] => text.split(/[,\s]+/).filter((part) => part !== "");

function labelsOf(text: string): Record<string, string> {
  return Object.fromEntries(
    listOf(text).map((pair) => {
      const [label = "", ...value] = pair.split("=");
      return [label, value.join("=")];
    }),
  );
}
