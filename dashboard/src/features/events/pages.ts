/** The list and the page of one endpoint, loaded together, so that their shared parts are not in the scripts of other pages. */
export { EndpointPage } from './endpoint.page';
export { EventsPage } from './events.page';
