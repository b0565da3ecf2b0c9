/**
 * Validates a manifest against the Kubernetes schema of its kind.
 * @param {{ apiVersion: string, kind: string }} manifest
 * @throws {Error} where the manifest does not match, or the kind is unknown
 */
export async function validateManifest(manifest) {
  const { [manifest.kind]: Model } = await import(
    `kubernetes-models/${manifest.apiVersion}/${manifest.kind}`
  );
  new Model(manifest).validate();
}
