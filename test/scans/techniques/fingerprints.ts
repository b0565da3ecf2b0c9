import { COLLECTORS, type TechniqueGroup, text } from './technique.js';

const SCRIPT = 'device.example';

/** Calls that can identify a device, all by a script of another site. */
export const FINGERPRINTS: TechniqueGroup = {
  path: '/fingerprints',
  techniques: [
    {
      name: 'Canvas fingerprinting',
      found: 'call, with the script',
      collector: COLLECTORS.hook,
      html: ({ https }) => `<script src="${https(SCRIPT, '/device.js')}"></script>`,
      truth: ({ host }) => [
        {
          ...{ kind: 'fingerprint', name: 'canvas.toDataURL', host: host(SCRIPT), type: 'canvas' },
          initiator: `${host(SCRIPT)}/device.js`,
        },
        { kind: 'fingerprint', name: 'canvas.getImageData', host: host(SCRIPT), type: 'canvas' },
      ],
    },
    {
      name: 'Audio fingerprinting',
      found: 'call, with the script',
      collector: COLLECTORS.hook,
      html: () => '',
      truth: ({ host }) => [
        {
          ...{ kind: 'fingerprint', name: 'OfflineAudioContext.startRendering', host: host(SCRIPT) },
          ...{ type: 'audio', initiator: `${host(SCRIPT)}/device.js` },
        },
      ],
    },
    {
      name: 'WebRTC fingerprinting',
      found: 'call, with the script',
      collector: COLLECTORS.hook,
      html: () => '',
      truth: ({ host }) => [
        {
          ...{ kind: 'fingerprint', name: 'RTCPeerConnection.createOffer', host: host(SCRIPT) },
          ...{ type: 'webrtc', initiator: `${host(SCRIPT)}/device.js` },
        },
      ],
    },
    {
      name: 'Consent mode and events of the data layer',
      found: 'events in their order',
      collector: 'data layer of the page',
      html: () =>
        `<script>
          window.dataLayer = [];
          function gtag() { dataLayer.push(arguments); }
          gtag('consent', 'default', { analytics_storage: 'denied' });
          gtag('event', 'page_view');
          dataLayer.push({ event: 'shown' });
        </script>`,
      truth: ({ host }) => [
        {
          ...{ kind: 'consent_event', name: 'consent default', host: host('www.farm.example'), order: 1 },
          consent: { analytics_storage: 'denied' },
        },
        { kind: 'consent_event', name: 'page_view', host: host('www.farm.example'), order: 2 },
        { kind: 'consent_event', name: 'shown', host: host('www.farm.example'), order: 3 },
      ],
    },
  ],
  routes: {
    '/device.js': (_request, response) =>
      text(
        response,
        'text/javascript',
        `
        const canvas = document.createElement('canvas');
        const context = canvas.getContext('2d');
        context.fillText('device', 10, 10);
        canvas.toDataURL();
        context.getImageData(0, 0, 50, 50);
        new OfflineAudioContext(1, 4096, 44100).startRendering();
        const peer = new RTCPeerConnection();
        peer.createDataChannel('x');
        peer.createOffer();
        `,
      ),
  },
};
