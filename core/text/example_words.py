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
        "That the suitcase is in Madrid and comes tomorrow is missing; the room number goes on a form, and "
        "shirt and toothbrush are for tonight."
    ),
    later("Brook Plumbing is #Person1#, and the caller tells it of the tap; Thursday is right."),
    later("Who cannot bake and who orders is right; Omar, not Leo, takes Dad fishing."),
    later("The back keeps nobody from sleeping, and three weeks are for coming back; chair and exercises are missing."),
    later("Paul is not coming, and nobody cancels anything: the negations are lost."),
    later("Goal and choice are right; the train at 9:12, not the ticket, is too late."),
    later("The new day and the samples are right, each by the right person; the hour is left out."),
    later("What was due and what is asked for is right; that all of it is due on Friday noon is missing."),
    later("The coat is sold out online and one is left in the shop’s window; that #Person1# keeps it is missing."),
    later("The list is checked, not printed, on the fridge; that Jonas cleans now and Ella next week is missing."),
    later("The family is away, not Biscuit, and the number is on the door; what the cat needs is missing."),
    later("Work before and the offer are right, each by the right person; the bread is left out."),
    later("#Person2# copies the photos, not #Person1# the phone; that #Person1# takes the used one is right."),
    later("Kim asks Ravi to help with moving; the pizzas are what Ravi gets for it."),
    later("Five people at seven are booked, not four at eight, and seven is an hour; the allergy is missing."),
    later("It takes a greeting for a caller; that the bridge is closed and a ferry runs is missing."),
    later("Nobody measured, the second half was a message of the past, and the photos that help are missing."),
    later("Only #Person2# plays, there are two tickets, and the complaint at midnight is missing."),
    later("Lehmann keeps the beams and Nord begins in October; that Berg is chosen is missing."),
    later("The page and the header are right; Bea asks Viktor to take it back, and he does."),
    later("#Person1# asks whether the pedals are in reach, and wants the next try; the hedge is missing."),
    later("Granny tells Felix how to cook, not the other way round; the secret is right."),
    later("It takes the customer for Dana, and the island is not in Oslo."),
    later("It takes the child for his mother; that he is lost and found is missing."),
    later("The wedding and the cake are right, each by the right person."),
    later("Who wants what and the breakfast are right; nights and price are left out."),
    later("Who asks and what is suggested is right; the number of the bus is left out."),
    later("The tickets are right; Jack, not Lucy, thinks of a scarf, and it is not bought."),
    later("The film is right; the picnic was asked for and is off because of the rain."),
    later("Who sends what to whom and how is right; Canada and the price are left out."),
    later("Symptoms and advice are right, and both are said by the right person."),
    later("The job is right; Tom invites Alice, not the other way round."),
    later("Who buys what is right; the discount is left out."),
    later("The feeling and the advice are right, each by the right person."),
    later("Books, two weeks and renewing are right; the card is needed to borrow, nothing is borrowed for it."),
)
"""Why a reader found right or wrong what the shipped checkpoint writes of them: its `judged.json`."""
