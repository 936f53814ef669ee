import type { RestCluster } from "@capstan/wire";
import { ActionButton, DeleteButton, DialogButton } from "../../parts/forms/rightful.tsx";
import { paths } from "../../paths.ts";
import { Anchor } from "../../primitives/anchor.tsx";
import { Listing } from "../../primitives/listing.tsx";
import { MiddleCut } from "../../primitives/middle-cut.tsx";
import { deleteCluster, refreshCluster, useClusters } from "../../queries/places.ts";
import { AddCluster, ChangeCluster } from "./cluster-forms.tsx";
import { Connection } from "./connection.tsx";

const resource = "clusters";
const objectOf = ({ server, project }: RestCluster) => (project ? `${project}/${server}` : server);

/** The one that Capstan runs on: its access is not an entry that could be deleted. */
const ownServer = "https://kubernetes.default.svc";

export function ClustersPage() {
  const query = useClusters();
  return (
    <Listing
      title="Clusters"
      query={query}
      items={query.data && (query.data.items ?? [])}
      keyOf={({ server }) => server}
      actions={
        <DialogButton
          right={{ resource, action: "create", object: "*" }}
          label="Add a cluster…"
          look="primary"
          dialog={(close) => <AddCluster onClose={close} />}
        />
      }
      columns={[
        { label: "Name", cell: ({ name }) => name },
        { label: "Server", cell: ({ server }) => <MiddleCut text={server} /> },
        { label: "Version", cell: ({ info, serverVersion }) => info?.serverVersion ?? serverVersion ?? "–" },
        {
          label: "Connection",
          cell: ({ info, connectionState }) => (
            <Connection state={info?.connectionState ?? connectionState} />
          ),
        },
        { label: "Reach", cell: ({ namespaces, project }) => reachOf(namespaces, project) },
        { label: "Objects", cell: ({ info }) => info?.cacheInfo?.resourcesCount?.toLocaleString() ?? "–" },
        {
          label: "Applications",
          cell: ({ name, info }) => (
            <Anchor href={paths.applications({ cluster: name })}>
              {String(info?.applicationsCount ?? "show")}
            </Anchor>
          ),
        },
        { label: "", cell: (one) => <ClusterActions one={one} /> },
      ]}
      empty={<p>No cluster is known.</p>}
    />
  );
}

function reachOf(namespaces: readonly string[] | undefined, project: string | undefined): string {
  const where = namespaces?.length ? `namespaces ${namespaces.join(", ")}` : "every namespace";
  return project ? `${where}, for project ${project}` : where;
}

function ClusterActions({ one }: { one: RestCluster }) {
  const { server, name } = one;
  return (
    <>
      <ActionButton
        right={{ resource, action: "update", object: objectOf(one) }}
        label="Read anew"
        about={name}
        done={`Cluster ${name} is read anew`}
        act={() => refreshCluster(server)}
      />
      <DialogButton
        right={{ resource, action: "update", object: objectOf(one) }}
        label="Change…"
        about={name}
        dialog={(close) => <ChangeCluster stored={one} onClose={close} />}
      />
      {server !== ownServer && (
        <DeleteButton
          right={{ resource, action: "delete", object: objectOf(one) }}
          what={`cluster ${name}`}
          consequence="Nothing in the cluster is deleted. Applications that go there can no longer be compared or synced."
          act={() => deleteCluster(server)}
        />
      )}
    </>
  );
}
