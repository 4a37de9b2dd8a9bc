"""What the app says of its bundled dialogues, marked for translation.

The dialogues and their summaries are English in every language: the models read no other.
"""

from core.words import later

TITLES = (
    later("The suitcase that stayed behind"),
    later("The tap that drips all night"),
    later("Who brings the cake?"),
    later("A stiff back"),
    later("Not coming after all"),
    later("The 8:47 and the 9:12"),
    later("The meeting that moved"),
    later("An essay and a flooded cellar"),
    later("The coat in the wrong size"),
    later("Whose turn is the bathroom?"),
    later("Instructions for the cat"),
    later("Why did you leave?"),
    later("From the window sill to the street"),
    later("Four floors and no lift"),
    later("A table for five"),
    later("Plain notes from a phone call"),
    later("The missing measurements"),
    later("Drums at midnight"),
    later("Three offers for the roof"),
    later("The shop page is down"),
    later("Brake, not clutch"),
    later("Soup by telephone"),
    later("Cancelling is not so easy"),
    later("A red cap in the crowd"),
    later("News between two trains"),
    later("A room with a view"),
    later("How do I get there?"),
    later("What does Mum want?"),
    later("Rain on Sunday"),
    later("A parcel to Canada"),
    later("Medicine and three days in bed"),
    later("Good news from the bank"),
    later("Too expensive"),
    later("One last cigarette"),
    later("Two weeks, and then?"),
)
NOTES = (
    later("A clear service dialogue to begin with: one problem, one solution, a few details to copy."),
    later("Two steps are agreed in order (turn off the water now, visit on Thursday); summaries often keep only one."),
    later("Speakers are easily mixed up: four people offer, swap and refuse tasks. A good test of who does what."),
    later("A doctor's visit: symptom, cause and advice. Watch whether the summary keeps the advice with the doctor."),
    later("Negation: almost every turn says that something will not happen. Does the summary keep the 'not'?"),
    later("Numbers and times that must be copied exactly: departures, platforms and a price."),
    later("Redundant turns: the new time is stated twice in the same way. Leave one of them out and see what changes."),
    later("A request, an excuse and a compromise: the outcome is only reached in the last turns."),
    later("A complaint that changes direction: the customer wants money back and leaves with another coat."),
    later("A WhatsApp-like export with time stamps, a notice of the app, typos and emoji."),
    later("Instructions with conditions; the summary has to choose among many small facts."),
    later("An interview: the facts about one speaker are spread over many turns of question and answer."),
    later("Cause and effect in one line each; the customer refuses one offer before accepting another."),
    later("Chat noise: lower case, missing commas, abbreviations and emoji. Compare its tokens with a tidy dialogue."),
    later(
        "A reservation that is changed twice; only the last state is true (seven o'clock, five people, by the window)."
    ),
    later("Plain text without speakers: each line is a turn, and nobody knows who said what."),
    later(
        "Two speakers blame each other before the reason turns up; look at which turns the word for the cause"
        " attends to."
    ),
    later("A quarrel that ends in an agreement: the feelings change from the first turn to the last."),
    later("Three speakers and three amounts of money; a summary easily ties an amount to the wrong firm."),
    later("A chat with name and time on their own line, as copied from a team messenger; three people and one fault."),
    later("Short turns and commands; much is said, little happens. What does a summary keep?"),
    later("A recipe with amounts and an order of steps, and a joke that should not reach the summary."),
    later(
        "A long service call: the customer's goal is stated early, the result comes late; good for truncation"
        " and for the middle of the dialogue."
    ),
    later("Three speakers, one found by the others; pronouns (he, she, they) point to different people."),
    later(
        "What leaving out one turn cannot show: the news is told twice, so either turn can go. Leave out "
        "both, and it is gone."
    ),
    later("Everyday service talk with a number of nights, a price and a choice: each can go wrong alone."),
    later("Directions: the way has an order, and one answer is a refusal (it is too far to walk)."),
    later("A question, two rejected ideas, one that is taken: summaries like to keep a rejected one."),
    later("A plan and its change: the summary should end with the plan that holds."),
    later("Two ways to send it, with their days; only one has a price, and only one is taken."),
    later("A doctor's visit in its simplest form: symptoms from one speaker, advice from the other."),
    later("News with a feeling: one speaker tells, the other only reacts."),
    later("Bargaining: two prices are named, and only the second one is paid."),
    later("Advice that is refused first and accepted later; who gives it is easily mixed up."),
    later("Rules in question and answer; a summary has to choose among them."),
)

JUDGED = (
    later(
        "That the suitcase is in Madrid and comes tomorrow is missing; what goes on the form is room and phone number."
    ),
    later("Brook Plumbing is #Person1#, and the caller tells it of the tap; Thursday is right."),
    later("Ruth's oven is broken, and Leo orders the cake and picks it up; Omar takes Dad fishing."),
    later("The back hurts, nobody lies awake; the proper chair is right, but no X-ray is needed."),
    later("Nobody cancels the trip, and Paul asks her not to; that he stays at home is missing."),
    later("Goal and platform are right; the train leaves at 8:47, and the ticket is missing."),
    later("Clara asks and Tom brings samples and books, not the other way round; Wednesday is missing."),
    later("What was due and what is asked for is right; that all of it is due on Friday noon is missing."),
    later("The coat came yesterday, and nobody has a medium to return; that #Person1# keeps the green one is missing."),
    later("Bathroom and new list are right; Priya names the list, and who cleans now is missing."),
    later("Biscuit was gone last summer, and the number is on the door; what the cat needs is missing."),
    later("Work before and the offer are right, each by the right person; the bread is left out."),
    later("#Person2# copies the photos; that #Person1# takes the used phone is missing."),
    later("The flat is on the fourth floor and has no lift, and the van is only till 12; that Ravi helps is missing."),
    later("Five people at seven are booked, not four at eight; the weather stands for the allergy."),
    later("It takes greeting and month for people; that the bridge is closed and a ferry runs is missing."),
    later("Sven tells Aisha of the table; the days are not sorted out, and the photos that help are missing."),
    later("Only #Person2# plays, there are two tickets, and the complaint at midnight is missing."),
    later("The roof is right; #Person1# alone writes to the town, and that Berg is chosen is missing."),
    later(
        "The header that is live is the old one, because the page was white; no changes on sale days is what Bea says."
    ),
    later("The key is turned, not the clutch; that the car stops and the hedge are missing."),
    later("Granny tells Felix how to cook a soup; the pudding is his task, and the secret is missing."),
    later("It takes the customer for Dana; the letter and the date are right, the move is missing."),
    later("Mrs. Silva, not Rui, looks for somebody; that he is found is missing."),
    later("The wedding is right; Robert offers to bake the cake himself."),
    later("Who wants what, the nights and the view are right; price and breakfast are left out."),
    later("Who tells whom is right; that a bus goes there is missing."),
    later("Tickets are bought; the scarf was last year's present."),
    later("The film is right; the picnic was asked for and is off because of the rain."),
    later("Who sends what to whom, how and for how much is right; Canada is left out."),
    later("The illness and the advice are right, each by the right person; headache and sore throat are left out."),
    later("The job is right; Tom invites Alice, not the other way round."),
    later("Who buys what and how it is paid is right; the discount is left out."),
    later("The feeling and the advice are right, each by the right person."),
    later("Two books and renewing are right; #Person2# warns of returning them late."),
)
"""Why a language model found right or wrong what the shipped checkpoint writes of them: its `judged.json`."""
