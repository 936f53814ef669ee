import type { KubeObject } from "../../types.ts";

export interface StorageClass extends KubeObject {
  provisioner: string;
  reclaimPolicy?: string;
  volumeBindingMode?: string;
}

export interface PersistentVolume extends KubeObject {
  spec: {
    accessModes?: readonly string[];
    capacity?: Record<string, string>;
    claimRef?: { apiVersion?: string; kind?: string; namespace?: string; name?: string; uid?: string };
    persistentVolumeReclaimPolicy?: string;
    storageClassName?: string;
    volumeMode?: string;
    hostPath?: { path: string; type?: string };
  };
  status?: { phase?: string };
}
