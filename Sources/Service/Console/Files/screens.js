// The screens by their word in the address.
import { activityScreen } from './activity.js';
import { compareScreen } from './compare.js';
import { incidentScreen } from './incident.js';
import { modelScreen } from './model.js';
import { objectScreen } from './object.js';
import { overviewScreen } from './overview.js';
import { personScreen } from './person.js';
import { shareScreen } from './share.js';
import { whatIfScreen } from './whatif.js';
import { whyScreen } from './why.js';

export const screens = {
    '': overviewScreen, object: objectScreen, why: whyScreen, person: personScreen, share: shareScreen, 'what-if': whatIfScreen,
    compare: compareScreen, activity: activityScreen, incident: incidentScreen, model: modelScreen,
};
