import { atMost, type Command, OperatorError, print } from '../../platform/operations/operator-command.js';
import { serviceSettings } from '../../platform/settings/service.settings.js';

/** Commands that fill the demo. */
export const demoCommands: Command[] = [
  {
    name: 'demo records',
    synopsis: '',
    summary:
      'fill the demo project with two months of generated records and page visits, and 30 days of deliveries; development only',
    options: {},
    prepare: (parsed) => {
      atMost(0, parsed);
      return async ({ orm, settings }) => {
        const { production, dataDir, host } = settings(serviceSettings);
        if (production) throw new OperatorError('The demo is not available in production.');
        const { fillDemo } = await import('./fill-demo.js');
        const { records, deliveries, visits } = await fillDemo(orm.em, { dataDir, host });
        print(
          `Generated ${records} records and ${visits} page visits for the last two months, and ${deliveries} deliveries.`,
        );
      };
    },
  },
];
