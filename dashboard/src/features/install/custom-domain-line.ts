/** The script tag for a custom domain; after an error, the browser loads the script from the service's own host. */
export function customDomainLine(hostname: string, projectId: string): string {
  const path = `/cdn/${projectId}/loader.js`;
  return `<script
  src="https://${hostname}${path}"
  data-fallback="${location.origin}${path}"
  onerror="document.head.append(Object.assign(document.createElement('script'), { src: this.dataset.fallback }))"
></script>`;
}
