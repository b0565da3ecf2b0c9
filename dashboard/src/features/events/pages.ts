/** The list and the page of one endpoint, loaded together: what they share is not part of other pages' scripts. */
export { EndpointPage } from './endpoint.page';
export { EventsPage } from './events.page';
